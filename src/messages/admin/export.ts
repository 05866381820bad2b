import type { RichTextBlock } from '@slack/types';
import { context, type Message, notice, section } from '../text/message.ts';
import { counted, inText, type Phrase, say } from '../text/phrase.ts';

/**
 * Shows subscriptions as lines to copy, in blocks that can each be imported by itself.
 *
 * @param exported `count` of all `of` subscriptions are in it; `isShort`: whether filters of shared channels are shortened
 */
export function exportedLines(exported: {
  readonly parts: readonly string[];
  readonly count: number;
  readonly of: number;
  readonly isShort: boolean;
}): Message {
  const { parts, count, of, isShort } = exported;
  const more = of - count;
  const lead: Phrase = say`${counted(count, 'subscription')} in channels you’re in, as lines for \`/plancast import\`.`;
  const notes: Phrase[] = [
    ...(more > 0
      ? [
          say`${counted(more, 'subscription')} didn’t fit. Type \`/plancast export\` in a channel to get its subscriptions first.`,
        ]
      : []),
    ...(isShort
      ? [
          say`Paths and people are shortened in channels shared with another organization, and can’t be imported like that. Show everything there, then export again.`,
        ]
      : []),
  ];
  return {
    text: [lead, ...notes].map((line) => inText(line)).join('\n'),
    blocks: [section([lead]), ...parts.map(preformatted), ...notes.map(context)],
  };
}

/** There are no subscriptions that this person may export. */
export const nothingToExport = notice`There are no subscriptions in the channels you’re in.`;

/** Slack does not say which channels the person is in. */
export const channelsUnknown = notice`I couldn’t get your channels from Slack. Try again in a minute.`;

function preformatted(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}
