import type { ChannelReason } from '../../core/model/pause-reason.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import {
  channelPauses,
  describeQuiet,
  describeReopening,
  describeTarget,
  listTargets,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { channel, counted, quoted, say, time } from '../text/phrase.ts';
import { missedWords } from './announcements.ts';

/** The bot can no longer post in the channel: sent to an owner about all of their subscriptions there. */
export function channelClosed(closed: {
  readonly channelId: string;
  readonly subscribed: readonly Subscribed[];
  readonly reason: ChannelReason;
  readonly botName: string;
}): Message {
  const { channelId, subscribed, reason } = closed;
  return messageOf({
    lines: [
      subscribed.length === 1
        ? say`Your subscription in ${channel(channelId)} is paused: ${channelPauses[reason]}.`
        : say`Your ${counted(subscribed.length, 'subscription')} in ${channel(channelId)} are paused: ${channelPauses[reason]}.`,
      ...listTargets(subscribed),
      describeReopening(reason, closed.botName),
    ],
    small: [
      say`When ${subscribed.length === 1 ? 'it resumes' : 'they resume'}, you’ll get one summary of up to a week.`,
    ],
  });
}

/** The channel was deleted, and its subscriptions with it: sent to an owner about all of their subscriptions there. */
export function channelDeleted(channelId: string, subscribed: readonly Subscribed[]): Message {
  const have = subscribed.length === 1 ? 'subscription there has' : 'subscriptions there have';
  return messageOf({
    lines: [
      say`The channel ${channel(channelId)} was deleted, so your ${have} ended:`,
      ...listTargets(subscribed),
    ],
    small: [say`To keep getting changes, subscribe in another channel.`],
  });
}

/** The bot can post in the channel again. `missed`: how many changes were held, which a summary shows next; null if some may be unknown. */
export function channelResumed(subscribed: readonly Subscribed[], missed: number | null): Message {
  const [first, ...others] = subscribed;
  return messageOf({
    lines:
      first !== undefined && others.length === 0
        ? [say`I’m posting here again: ${describeTarget(first)}.${missedWords(missed)}`]
        : [
            say`I’m posting here again for ${counted(subscribed.length, 'subscription')}.${missedWords(missed)}`,
            ...listTargets(subscribed),
          ],
  });
}

/** The channel is shared with another organization: says what is hidden from now on, with a button that shows it again. */
export const channelShared = messageOf({
  lines: [
    say`This channel is shared with another organization. From now on, people without a Slack name in this workspace appear as ${quoted('someone')}, and paths are shortened to their last folder.`,
  ],
  small: [say`Anyone who can change this channel’s subscriptions can show everything.`],
  buttons: [
    requestButton(
      'Show everything',
      { act: 'show-in-shared', all: true },
      {
        confirm: {
          title: 'Show everything here?',
          text: say`People outside your organization will see email addresses, full folder paths and links.`,
          yes: 'Show everything',
          style: 'primary',
        },
      },
    ),
  ],
});

/** A member chose how much is shown in a shared channel. */
export function sharedChannelShows({ by, all }: { readonly by: Who; readonly all: boolean }): Message {
  return messageOf({
    lines: [
      all
        ? say`${whoIs(by)} allowed full names and folder paths in this shared channel.`
        : say`${whoIs(by)} shortened names and folder paths in this shared channel again.`,
    ],
    buttons: [requestButton(all ? 'Shorten again' : 'Show everything', { act: 'show-in-shared', all: !all })],
  });
}

/** A member muted the conversation. */
export function channelMuted(by: Who, until: Date): Message {
  return messageOf({
    lines: [say`${whoIs(by)} muted ${by.isReader ? 'me' : 'this channel'} until ${time(until)}.`],
    small: [say`I’ll post a summary when the mute ends.`],
    buttons: [requestButton('Unmute', { act: 'unmute' })],
  });
}

/** A member ended the mute, or quiet hours that begin again at `quietAgain`. A summary of `waiting` changes follows. */
export function channelUnmuted(by: Who, waiting: number, quietAgain: Date | null = null): Message {
  const what = by.isReader ? 'me' : 'this channel';
  return messageOf({
    lines: [say`${whoIs(by)} unmuted ${what}.${missedWords(waiting)}`],
    small: [quietAgain !== null && say`Quiet hours begin again ${time(quietAgain)}.`],
  });
}

/** A member set quiet hours. */
export function quietHoursSet(by: Who, hours: QuietHours): Message {
  const what = by.isReader ? 'your direct messages with me' : 'this channel';
  return messageOf({
    lines: [say`${whoIs(by)} set quiet hours for ${what}: ${describeQuiet(hours)}.`],
    small: [say`When they end, I’ll post one summary of what came in them.`],
    buttons: [requestButton('Turn off', { act: 'quiet', hours: 'off' }, { spokenAfter: say` quiet hours` })],
  });
}

/** A member turned quiet hours off. A summary of `waiting` changes follows, if they were on. */
export function quietHoursOff(by: Who): Message {
  const what = by.isReader ? 'your direct messages with me' : 'this channel';
  return notice`${whoIs(by)} turned off quiet hours for ${what}.`;
}
