import type { SlackPerson } from './people.ts';

/** The link between a person in Slack and an account at the service, without its tokens. */
export type Link = SlackPerson & {
  readonly id: string;
  /** The account's e-mail address as the service wrote it; null where it did not say. */
  readonly account: string | null;
  readonly scope: string | null;
  /**
   * `relink`: the service takes its tokens no more, so the person has to link again. `frozen`: the person is not a full member of the
   * workspace any more, so its tokens are not used.
   */
  readonly state: 'active' | 'relink' | 'frozen';
  readonly linkedAt: Date;
  /** When its tokens were last given out by the service. */
  readonly refreshedAt: Date;
};

/** Tokens of a link, in the clear: never logged, never kept longer than a call needs them. */
export type LinkTokens = {
  readonly accessToken: string | null;
  readonly accessExpiresAt: Date | null;
  readonly refreshToken: string | null;
  readonly refreshExpiresAt: Date | null;
};

/** What the service gave, and whose it is. Held sealed while the proof is still missing. */
export type Grant = LinkTokens & {
  readonly accessToken: string;
  readonly account: string | null;
  readonly scope: string | null;
};

/** How far a person is on the way to a link. */
type LinkStep = 'offered' | 'sent' | 'answered' | 'proving' | 'replacing' | 'done' | 'dead';

/** One way to a link, from the button in Slack to the end. */
export type LinkAttempt = SlackPerson & {
  readonly id: string;
  readonly channelId: string | null;
  /** Slack takes answers there for 30 minutes. */
  readonly responseUrl: string | null;
  /** What was asked for and is to be carried out when the link is there, as it was stored; null where linking was all. */
  readonly request: unknown;
  /** Whether its ticket was used. */
  readonly used: boolean;
  readonly step: LinkStep;
  readonly expiresAt: Date;
};

/**
 * Whether two names of accounts are surely the same account. Two accounts that the service did not name are not: nothing says so.
 */
export function sameAccount(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && lowerAscii(one) === lowerAscii(other);
}

/**
 * Lower case for the letters A to Z alone. `toLowerCase` would also turn the Kelvin sign U+212A into a `k`, and with it one mailbox
 * into another.
 */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
