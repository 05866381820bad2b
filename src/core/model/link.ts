import type { SlackPerson } from './people.ts';

/** The link between a person in Slack and an account at the service, without its tokens. */
export type Link = SlackPerson & {
  readonly id: string;
  /** The account's email address as the service wrote it; null if the service did not say. */
  readonly account: string | null;
  /** `relink`: the service rejects its tokens. `frozen`: the person is no longer a full member, so its tokens only delete what nobody needs. */
  readonly state: 'active' | 'relink' | 'frozen';
  readonly linkedAt: Date;
  /** When the service last issued its tokens. */
  readonly refreshedAt: Date;
};

/** What a person is shown of their link. */
export type ShownLink = Pick<Link, 'state' | 'account' | 'linkedAt'>;

/** A link's tokens in the clear: never logged, never kept longer than a call needs them. */
export type LinkTokens = {
  readonly accessToken: string | null;
  readonly accessExpiresAt: Date | null;
  readonly refreshToken: string | null;
  readonly refreshExpiresAt: Date | null;
};

/**
 * The tokens the service issued, and the account they belong to: an email address there. Stored sealed until the person proves that it is
 * theirs. Without a refresh token, the one that was used stays valid.
 */
export type Grant = LinkTokens & { readonly accessToken: string; readonly account: string | null };

/** What the message that confirms a link says besides the linked account. */
export type LinkReceipt = {
  /** The account it replaced (null if that has no name); missing if it replaced none. */
  readonly replaced?: string | null | undefined;
};

/** How far a person has come on the way to a link. */
type LinkStep = 'offered' | 'sent' | 'answered' | 'proving' | 'done' | 'dead';

/**
 * Why an attempt led to no link after the service sent the browser back.
 * - `denied`: the person pressed Cancel
 * - `refused`: the service or the bot rejected it; the detail says why in a sentence for the person
 * - `not-set-up`: an admin has to fix the bot's setup first; detail as for `refused`
 * - `code-expired`: the service no longer accepts the authorization code
 * - `unavailable`: the service did not answer
 * - `not-a-member`: the person who asked is not a full member of the workspace
 * - `other-account`: the person is linked to another account, which the attempt was not started to replace
 * - `failure`: an error of the bot; the detail is its reference in the log
 */
export type LinkFault =
  | 'denied'
  | 'refused'
  | 'not-set-up'
  | 'code-expired'
  | 'unavailable'
  | 'not-a-member'
  | 'other-account'
  | 'failure';

/** A fault with its detail, if it has one. */
export type LinkFailure = { readonly fault: LinkFault; readonly detail: string | null };

/** One attempt to link, from the button in Slack to the end. */
export type LinkAttempt = SlackPerson & {
  readonly id: string;
  readonly channelId: string | null;
  /** Slack accepts replies to it for 30 minutes. */
  readonly responseUrl: string | null;
  /** The stored request to carry out once the link exists; null if the person only asked to link. */
  readonly request: unknown;
  /** The linked account that the person agreed in Slack to replace; null if none. */
  readonly replaces: Pick<Link, 'account'> | null;
  /** Whether its ticket was used. */
  readonly used: boolean;
  readonly step: LinkStep;
  readonly expiresAt: Date;
  /** When the service sent the browser back; null before. */
  readonly answeredAt: Date | null;
  /** Why it ended without a link; null if nothing is to be said about that. */
  readonly failure: LinkFailure | null;
  /** The account that signed in, while its tokens wait for the person; null if there is none or the service did not name it. */
  readonly account: string | null;
};

/** Returns whether two account names certainly mean the same account; two that the service did not name do not. */
export function sameAccount(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && lowerAscii(one) === lowerAscii(other);
}

/** Returns whether an attempt may link an account where `linked` is linked: the same one, or in place of the one that it was started to replace. */
export function mayLink(
  { replaces }: Pick<LinkAttempt, 'replaces'>,
  account: string | null,
  linked: string | null,
): boolean {
  if (sameAccount(linked, account)) return true;
  return replaces !== null && (linked === replaces.account || sameAccount(linked, replaces.account));
}

/** Lowercases the letters A to Z only. `toLowerCase` would also turn the Kelvin sign U+212A into a `k`, and so one mailbox into another. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
