import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { type Copy, listTargets, type Who, whoIs } from '../text/copy.ts';
import { type Message, messageOf } from '../text/message.ts';
import { andMore, counted, say, typed } from '../text/phrase.ts';

/** How many subscriptions are named; the others are counted. */
const namesShown = 10;

/** A person paused several subscriptions of a channel at once. */
export function subscriptionsPausedBy(by: Who, subscribed: readonly Subscribed[], copy: Copy): Message {
  return messageOf({
    lines: [
      say`${whoIs(by)} paused ${counted(subscribed.length, 'subscription')}:`,
      ...listTargets(subscribed.slice(0, namesShown)),
      ...andMore(subscribed.length - namesShown),
    ],
    small: [
      say`Resume them in ${typed(copy.commands.subscriptions)}. You’ll get one summary of up to a week.`,
    ],
  });
}
