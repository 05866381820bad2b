import { type Phrase, say } from '../text/phrase.ts';

/** Reasons for a dead letter that come from this bot; every other reason is an error code of Slack. */
export const ownFaults = {
  /** The event or its subscription could not be read from the database. */
  unreadable: 'unreadable',
  /** The event could not be rendered as a message. */
  unrenderable: 'unrenderable',
  /** The outcome could not be stored; the message may have been posted. */
  unrecorded: 'unrecorded',
} as const;

export type OwnFault = (typeof ownFaults)[keyof typeof ownFaults];

/** Explains a dead letter's reason: whether its message may have been posted, and what went wrong. */
export function deadReason(reason: string): { readonly mayBePosted: boolean; readonly fault: Phrase } {
  switch (reason) {
    case ownFaults.unreadable:
    case ownFaults.unrenderable:
      return { mayBePosted: false, fault: say`Plancast couldn’t make a message` };
    case ownFaults.unrecorded:
      return { mayBePosted: true, fault: say`Plancast couldn’t record the result` };
    default:
      return { mayBePosted: false, fault: say`Slack refused the message` };
  }
}
