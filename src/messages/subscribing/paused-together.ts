import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { type Copy, describeTarget, type Who, whoIs } from '../text/copy.ts';
import { type Message, messageOf } from '../text/message.ts';
import { counted, type Phrase, say, typed } from '../text/phrase.ts';

/** How many subscriptions are named; the others are counted. */
const namesShown = 10;

/** A person paused several subscriptions of a channel at once. */
export function subscriptionsPausedBy(paused: {
  readonly by: Who;
  readonly subscribed: readonly Subscribed[];
  readonly copy: Copy;
}): Message {
  const { by, subscribed, copy } = paused;
  const more = subscribed.length - namesShown;
  return messageOf({
    lines: [
      say`${whoIs(by)} paused ${counted(subscribed.length, 'subscription')}:`,
      ...subscribed.slice(0, namesShown).map((each): Phrase => say`• ${describeTarget(each)}`),
      ...(more > 0 ? [say`… and ${more} more`] : []),
    ],
    small: [
      say`Resume them in ${typed(copy.commands.subscriptions)}. You’ll get one summary of up to a week.`,
    ],
  });
}
