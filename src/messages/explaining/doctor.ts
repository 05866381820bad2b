import type { KnownBlock, RichTextBlock } from '@slack/types';
import type { Subscribed } from '../../core/model/subscription.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { fitInto } from '../text/limits.ts';
import { type Message, notice, requestButton, section } from '../text/message.ts';
import { capital, counted, type Phrase, say, strong, time, typed } from '../text/phrase.ts';
import { findingsPart, messageFrom, paragraph, together } from './answer-parts.ts';
import { describeFinding, type Finding, notable } from './findings.ts';

/** The most subscriptions to check: each costs a request to the service, and nobody reads more. */
export const subscriptionsChecked = 8;

const supportCharacters = 2_400;

/**
 * Shows the result of all checks of a channel: what is wrong or worth noting, with every check and a text for support behind a button.
 *
 * @param report `detailed` shows everything at once; `support` is the same without names and contents, to pass on; `unchecked` counts
 *   subscriptions that were not checked
 */
export function doctorReport(report: {
  readonly channel: readonly Finding[];
  readonly subscriptions: readonly {
    readonly subscribed: Subscribed;
    readonly findings: readonly Finding[];
  }[];
  readonly unchecked: number;
  readonly support: readonly string[];
  readonly detailed: boolean;
  /** Whether this is the reader's own direct message with the bot. */
  readonly personal?: boolean | undefined;
  readonly copy: Copy;
}): Message {
  const { copy, unchecked, detailed, personal = false } = report;
  const all = [...report.channel, ...report.subscriptions.flatMap(({ findings }) => findings)];
  const problems = all.filter((finding) => describeFinding(finding, copy).verdict === 'not ok').length;
  const lastPost = all.flatMap((finding) =>
    finding.about === 'last post' && finding.at ? [finding.at] : [],
  );
  const title = titleOf({ problems, checked: report.subscriptions.length, personal, lastPost });
  const wanted = (findings: readonly Finding[]) => (detailed ? findings : notable(findings, copy));
  const accessory = detailed ? undefined : detailsButton;
  const rest = say`I didn’t check ${counted(unchecked, 'more subscription')}. ${typed(`${copy.commands.plancast} why`)} goes through all of them.`;
  return messageFrom(
    [
      together(paragraph(title, [], { accessory }), findingsPart(wanted(report.channel), copy)),
      ...report.subscriptions.map(({ subscribed, findings }) => {
        const below = findingsPart(wanted(findings), copy);
        return (
          below.texts.length > 0 && together(paragraph(say`${capital(describeTarget(subscribed))}:`), below)
        );
      }),
      unchecked > 0 && paragraph(rest),
    ],
    detailed ? supportBlock(report.support) : [],
  );
}

const detailsButton = requestButton(
  'Details',
  { act: 'doctor-details' },
  { spokenAfter: say` of every check` },
);

/** Returns the title, which answers the question first. */
function titleOf(found: {
  problems: number;
  checked: number;
  personal: boolean;
  lastPost: readonly Date[];
}): Phrase {
  const { personal, lastPost } = found;
  const problems = counted(found.problems, 'problem');
  const newest = lastPost.toSorted((a, b) => b.getTime() - a.getTime())[0];
  const last: Phrase = newest === undefined ? [] : say` Last message: ${time(newest)}.`;
  if (found.problems > 0) {
    return personal
      ? say`I found ${problems} in your direct messages with me.`
      : say`I found ${problems} in this channel.`;
  }
  if (found.checked > 0) {
    return personal
      ? say`Everything works in your direct messages with me.${last}`
      : say`Everything works here.${last}`;
  }
  return personal
    ? say`I can send you direct messages. You have no subscriptions of your own yet.`
    : say`I can post in this channel. It has no subscriptions yet.`;
}

/** Preformatted, so that it can be copied unchanged. */
function supportBlock(lines: readonly string[]): [KnownBlock, RichTextBlock] {
  const text = fitInto(lines, { max: supportCharacters, joint: '\n', noun: 'lines' });
  return [
    section([say`${strong('For support')} (no names or contents):`]),
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', border: 0, elements: [{ type: 'text', text }] }],
    },
  ];
}

/** Shows the state of a subscription after a repair. */
export function repaired(subscribed: Subscribed, findings: readonly Finding[], copy: Copy): Message {
  const head = say`I checked ${describeTarget(subscribed)} again.`;
  return messageFrom([paragraph(head), findingsPart(findings, copy)]);
}

/** The bot can post in the channel again. */
export const postingResumed = notice`I can post here again. The changes that were waiting come next.`;

/** Dead letters are retried; `count` is 0 if there were none. */
export function postedAgain(count: number): Message {
  return notice`${count === 0 ? 'There’s nothing left to retry.' : say`Retrying ${counted(count, 'change')}.`}`;
}
