import type { Subscribed } from '../../core/model/subscription.ts';
import { describeTarget } from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { channel, counted, say, strong } from '../text/phrase.ts';

/** Asks the owner of the subscription that posted the most in a channel whether it should be a digest. `total`: messages in the channel. */
export function tooMuch(asked: {
  readonly id: string;
  readonly channelId: string;
  readonly subscribed: Subscribed;
  readonly total: number;
  readonly count: number;
}): Message {
  const { id, subscribed, total, count } = asked;
  const lowered = (label: string, to: 'digest' | 'digest-except-deleted') =>
    requestButton(label, { act: 'lower-volume', id, to }, { variant: to });
  const most = count === total ? say`, all of them` : say`, ${counted(count, 'message', 'of them')}`;
  return messageOf({
    lines: [
      say`I posted ${strong(String(total))} messages in ${channel(asked.channelId)} yesterday${most} about ${describeTarget(subscribed)}. Would one digest a day be better?`,
    ],
    small: [say`Only you can see this. If you keep it as it is, I won’t ask again for 90 days.`],
    buttons: [
      lowered('Daily digest at 9:00', 'digest'),
      lowered('Daily at 9:00, deletions as they happen', 'digest-except-deleted'),
      requestButton('Keep as it is', { act: 'keep-volume', id }),
    ],
  });
}

/** The owner chose a digest, which is announced in the channel. */
export function volumeLowered(changed: {
  readonly channelId: string;
  readonly subscribed: Subscribed;
  readonly to: 'digest' | 'digest-except-deleted';
}): Message {
  const except = changed.to === 'digest' ? '' : ' Deletions are still posted as they happen.';
  return notice`${channel(changed.channelId)} now gets ${describeTarget(changed.subscribed)} in a daily digest at 9:00.${except}`;
}

/** The owner chose to change nothing. */
export function volumeKept(days: number): Message {
  return notice`OK, everything stays as it is. I won’t ask about this again for ${counted(days, 'day')}.`;
}
