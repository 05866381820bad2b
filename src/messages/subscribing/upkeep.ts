import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { describeTarget } from '../text/copy.ts';
import { type Message, messageOf, notice } from '../text/message.ts';
import { channel, say, sentence } from '../text/phrase.ts';

/** The service could not make a subscription right now; the bot keeps retrying. */
export function beingSetUp(subscribed: Subscribed): Message {
  return notice`The service is unavailable right now. I’ll keep trying for 10 minutes to subscribe to ${describeTarget(subscribed)}, and I’ll let you know how it goes.`;
}

/** A change was requested while the remote subscription was being replaced. */
export function beingReplaced(subscribed: Subscribed): Message {
  return notice`The subscription to ${describeTarget(subscribed)} is being set up again right now. Try again in a minute.`;
}

/** Why a subscription was not made although the service refused nothing. */
export const linkStopped = 'Your link no longer works. Link again.';

/** The bot has stopped trying to make a subscription; sent outside its channel. `forPerson` is a whole sentence. */
export function notSetUp(late: {
  readonly subscribed: Subscribed;
  readonly channelId: string;
  readonly forPerson: string;
}): Message {
  return messageOf({
    lines: [
      say`I couldn’t subscribe ${channel(late.channelId)} to ${describeTarget(late.subscribed)} and stopped trying.`,
      [sentence(late.forPerson)],
    ],
  });
}

/** The person chose to keep the linked account. */
export const accountKept = notice`You’re still linked to the same account. The other one wasn’t linked.`;
