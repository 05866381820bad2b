import type { Link } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';

/** A link that was just made, or got new tokens. */
export type LinkMade = {
  readonly outcome: 'linked';
  readonly link: Link;
  /** The account it replaced (null if that has no name); undefined if it replaced none. */
  readonly replaced: string | null | undefined;
};

/** The question whether a new account replaces the linked one. The person answers it in Slack. */
export type ReplaceQuestion = {
  readonly outcome: 'question';
  readonly attemptId: string;
  readonly person: SlackPerson;
  readonly oldAccount: string | null;
  readonly newAccount: string | null;
};
