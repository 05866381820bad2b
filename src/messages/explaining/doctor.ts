import type { Subscribed } from '../../core/model/subscription.ts';
import { type Copy, conversation, describeTarget } from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { capital, counted, type Phrase, say, time, typed } from '../text/phrase.ts';
import { type Finding, findingRows, notable } from './findings.ts';

/** The most subscriptions to check: each costs a request to the service, and nobody reads more. */
export const subscriptionsChecked = 8;

/** Shows what is wrong or worth noting in a channel; every check at once if `detailed`. `unchecked`: how many subscriptions were not checked. */
export function doctorReport(report: {
  readonly channel: readonly Finding[];
  readonly subscriptions: readonly {
    readonly subscribed: Subscribed;
    readonly findings: readonly Finding[];
  }[];
  readonly unchecked: number;
  /** When something was last posted for one of the checked subscriptions. */
  readonly lastPost: Date | undefined;
  readonly detailed: boolean;
  /** Whether this is the reader's own direct message with the bot. */
  readonly personal: boolean;
  readonly copy: Copy;
}): Message {
  const { subscriptions, unchecked, detailed, copy } = report;
  const wanted = detailed ? (findings: readonly Finding[]) => findings : notable;
  return messageOf({
    lines: [titleOf(report)],
    rows: [
      ...findingRows(wanted(report.channel)),
      ...subscriptions.flatMap(({ subscribed, findings }) => {
        const below = findingRows(wanted(findings));
        return below.length === 0
          ? []
          : [{ lines: [say`${capital(describeTarget(subscribed))}:`] }, ...below];
      }),
    ],
    small: [
      unchecked > 0 &&
        say`I didn’t check ${counted(unchecked, 'more subscription')}. ${typed(`${copy.commands.plancast} why`)} goes through all of them.`,
    ],
    buttons: [
      !detailed && requestButton('Details', { act: 'doctor-details' }, { spokenAfter: say` of every check` }),
    ],
  });
}

/** Returns the title, which answers the question first. */
function titleOf({ channel, subscriptions, personal, lastPost }: Parameters<typeof doctorReport>[0]): Phrase {
  const all = [...channel, ...subscriptions.flatMap(({ findings }) => findings)];
  const { length } = all.filter(({ verdict }) => verdict === 'not ok');
  if (length > 0) return say`I found ${counted(length, 'problem')} in ${conversation(personal)}.`;
  if (subscriptions.length > 0) {
    const last = lastPost === undefined ? [] : say` Last message: ${time(lastPost)}.`;
    return say`Everything works ${personal ? 'in your direct messages with me' : 'here'}.${last}`;
  }
  return personal
    ? say`I can send you direct messages. You have no subscriptions of your own yet.`
    : say`I can post in this channel. It has no subscriptions yet.`;
}

/** Shows the state of a subscription after a repair. */
export function repaired(subscribed: Subscribed, findings: readonly Finding[]): Message {
  return messageOf({
    lines: [say`I checked ${describeTarget(subscribed)} again.`],
    rows: findingRows(findings),
  });
}

/** The bot can post in the channel again. */
export const postingResumed = notice`I can post here again. The changes that were waiting come next.`;

/** Dead letters are retried; `count` is 0 if there were none. */
export function postedAgain(count: number): Message {
  return notice`${count === 0 ? 'There’s nothing left to retry.' : say`Retrying ${counted(count, 'change')}.`}`;
}
