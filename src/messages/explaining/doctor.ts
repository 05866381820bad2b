import type { KnownBlock, RichTextBlock } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { charactersOf, fitInto } from '../text/limits.ts';
import { type Message, messageOf, mrkdwn } from '../text/message.ts';
import { capital, counted, inMrkdwn, inText, type Phrase, strong, typed } from '../text/phrase.ts';
import { blocksOf, type Finding, type Said, say, textsOf, whatFits } from './findings.ts';

/** Subscriptions that are looked at. More would be asked of the service than anybody reads. */
export const subscriptionsChecked = 8;

const headCharacters = 260;
const textCharacters = 3_000;
const supportCharacters = 2_400;

/**
 * How it stands with the bot in a channel, a line a check. `support`: the same without names and contents, to be handed on; `left`: how
 * many subscriptions were not looked at.
 */
export function doctorReport(report: {
  readonly channel: readonly Finding[];
  readonly subscriptions: readonly {
    readonly subscribed: Subscribed;
    readonly findings: readonly Finding[];
  }[];
  readonly left: number;
  readonly support: readonly string[];
  readonly copy: Copy;
}): Message {
  const { copy, left } = report;
  const channel = report.channel.map((finding) => say(finding, copy));
  const subscriptions = report.subscriptions.map(({ subscribed, findings }) => ({
    head: [...capital(describeTarget(subscribed)), ':'],
    said: findings.map((finding) => say(finding, copy)),
  }));
  const title = titleOf([...channel, ...subscriptions.flatMap(({ said }) => said)]);
  const rest: Phrase[] =
    left === 0
      ? []
      : [
          [
            `I have not looked at ${counted(left, 'more subscription')}: `,
            typed(`${copy.commands.plancast} why`),
            ' goes through all.',
          ],
        ];
  const support = supportBlock(report.support);
  const parts = [
    [line(title), ...blocksOf(channel)],
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

/** "2 things are not OK" first: that is what the question was. */
function titleOf(said: readonly Said[]): Phrase {
  const bad = said.filter(({ verdict }) => verdict === 'not ok').length;
  if (bad === 0) return ['All is well in this channel, as far as I can see.'];
  return [`${counted(bad, 'thing')} ${bad === 1 ? 'is' : 'are'} not OK in this channel.`];
}

function line(phrase: Phrase): KnownBlock {
  return { type: 'section', text: mrkdwn(inMrkdwn(phrase, headCharacters)) };
}

/** Preformatted, so that it is copied as it is. */
function supportBlock(lines: readonly string[]): [KnownBlock, RichTextBlock] {
  const text = fitInto(lines, { max: supportCharacters, joint: '\n', noun: 'lines' });
  return [
    line([strong('For support'), ', without names and contents:']),
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', border: 0, elements: [{ type: 'text', text }] }],
    },
  ];
}

/** What was done about something that was found, and how it stands now. */
export function repaired(done: {
  readonly subscribed: Subscribed;
  readonly findings: readonly Finding[];
  readonly copy: Copy;
}): Message {
  const head: Phrase = ['I have looked again at ', ...describeTarget(done.subscribed), '.'];
  const said = done.findings.map((finding) => say(finding, done.copy));
  return {
    text: fitInto([inText(head, headCharacters), ...textsOf(said)], { max: textCharacters, joint: '\n' }),
    blocks: [line(head), ...blocksOf(said)],
  };
}

/** The channel is open to the bot again. */
export function postingResumed(): Message {
  return messageOf({ lines: [['I may post here again. What has waited follows now.']] });
}

/** What Slack had refused is tried once more; none where nothing of it was left. */
export function postedAgain({ count }: { readonly count: number }): Message {
  const verb = count === 1 ? 'waits' : 'wait';
  return messageOf({
    lines: [
      [
        count === 0
          ? 'There is nothing any more that Slack has refused.'
          : `${counted(count, 'change')} ${verb} to be posted again.`,
      ],
    ],
  });
}
