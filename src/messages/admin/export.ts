import type { RichTextBlock } from '@slack/types';
import { context, type Message, messageOf, section } from '../text/message.ts';
import { counted, inText, type Phrase, say } from '../text/phrase.ts';

const notAllKnown = 'I couldn’t get your channels from Slack, so some may be missing. Try again in a minute.';

/**
 * Shows subscriptions as text to copy, in one block for each field of the import form.
 *
 * @param file `count` of all `of` subscriptions are in it; `complete` is false if some may be missing because Slack did not answer;
 * `isShort`: whether filters of shared channels are shortened
 */
export function exportedFile(file: {
  readonly parts: readonly string[];
  readonly count: number;
  readonly of: number;
  readonly complete: boolean;
  readonly isShort: boolean;
}): Message {
  const { parts, count, of, complete, isShort } = file;
  const more = of - count;
  const lead: Phrase = say`${counted(count, 'subscription')} in channels you can see, as text for \`/plancast import\`.`;
  const notes: Phrase[] = [
    ...(more > 0
      ? [
          say`${counted(more, 'subscription')} didn’t fit. Your Plancast admin can export them all with \`npm run subscriptions -- export\`.`,
        ]
      : []),
    ...(isShort
      ? [
          say`Paths and people are shortened in channels shared with another organization, and can’t be imported like that. Show everything there, then export again.`,
        ]
      : []),
    ...(complete ? [] : [[notAllKnown]]),
  ];
  return {
    text: [lead, ...notes].map((line) => inText(line)).join('\n'),
    blocks: [section([lead]), ...parts.map(preformatted), ...notes.map(context)],
  };
}

/** There are no subscriptions that this person may export. */
export function nothingToExport({ complete }: { readonly complete: boolean }): Message {
  return messageOf({
    lines: [say`There are no subscriptions in the channels you can see.`],
    small: complete ? [] : [[notAllKnown]],
  });
}

/** Makes a block of unformatted text. */
function preformatted(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}
