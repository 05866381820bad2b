import type { Button, KnownBlock, RichTextBlock } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { charactersOf, fitInto } from '../text/limits.ts';
import { type Message, mrkdwn, notice, requestButton } from '../text/message.ts';
import { capital, counted, inMrkdwn, inText, type Phrase, say, strong, time, typed } from '../text/phrase.ts';
import { blocksOf, textsOf, whatFits } from './finding-blocks.ts';
import { describeFinding, type Finding, notable, type Said } from './findings.ts';

/** The most subscriptions to check: each costs a request to the service, and nobody reads more. */
export const subscriptionsChecked = 8;

const headCharacters = 260;
const textCharacters = 3_000;
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
  const wanted = (findings: readonly Finding[]): Said[] =>
    (detailed ? findings : notable(findings, copy)).map((finding) => describeFinding(finding, copy));
  const channel = wanted(report.channel);
  const subscriptions = report.subscriptions
    .map(({ subscribed, findings }) => ({
      head: say`${capital(describeTarget(subscribed))}:`,
      said: wanted(findings),
    }))
    .filter(({ said }) => said.length > 0);
  const rest: Phrase[] =
    unchecked === 0
      ? []
      : [
          say`${counted(unchecked, 'more subscription')} not checked. To go through all of them: ${typed(`${copy.commands.plancast} why`)}`,
        ];
  const support = detailed ? supportBlock(report.support) : [];
  const parts = [
    [line(title, detailed ? undefined : detailsButton), ...blocksOf(channel)],
    ...subscriptions.map(({ head, said }) => [line(head), ...blocksOf(said)]),
    ...rest.map((phrase) => [line(phrase)]),
  ];
  return {
    text: fitInto(
      [
        inText(title),
        ...textsOf(channel),
        ...subscriptions.flatMap(({ head, said }) => [inText(head, headCharacters), ...textsOf(said)]),
        ...rest.map((phrase) => inText(phrase)),
      ],
      { max: textCharacters, joint: '\n', noun: 'lines' },
    ),
    blocks: [
      ...whatFits(parts, {
        characters: textCharacters + charactersOf(support),
        blocks: support.length,
      }),
      ...support,
    ],
  };
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

function line(phrase: Phrase, accessory?: Button): KnownBlock {
  const text = mrkdwn(inMrkdwn(phrase, headCharacters));
  return accessory === undefined ? { type: 'section', text } : { type: 'section', text, accessory };
}

/** Preformatted, so that it can be copied unchanged. */
function supportBlock(lines: readonly string[]): [KnownBlock, RichTextBlock] {
  const text = fitInto(lines, { max: supportCharacters, joint: '\n', noun: 'lines' });
  return [
    line(say`${strong('For support')} (no names or contents):`),
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', border: 0, elements: [{ type: 'text', text }] }],
    },
  ];
}

/** Shows the state of a subscription after a repair. */
export function repaired(subscribed: Subscribed, findings: readonly Finding[], copy: Copy): Message {
  const head: Phrase = say`I checked ${describeTarget(subscribed)} again.`;
  const said = findings.map((finding) => describeFinding(finding, copy));
  return {
    text: fitInto([inText(head, headCharacters), ...textsOf(said)], { max: textCharacters, joint: '\n' }),
    blocks: [line(head), ...blocksOf(said)],
  };
}

/** The bot can post in the channel again. */
export const postingResumed = notice`I can post here again. The changes that were waiting come next.`;

/** Dead letters are retried; `count` is 0 if there were none. */
export function postedAgain(count: number): Message {
  return notice`${count === 0 ? 'There’s nothing left to retry.' : say`Retrying ${counted(count, 'change')}.`}`;
}
