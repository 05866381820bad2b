import type { Button } from '@slack/types';
import { actions, context, type Message, messageOf } from './message.ts';
import type { Phrase } from './phrase.ts';

const blockIds = { note: 'undo_note', button: 'undo' } as const;

/**
 * A short message with an Undo button, which is taken away once it is used or over.
 *
 * @param undo `note` says for how long it works; both stand in blocks of their own, and not in the text
 */
export function withUndo(
  message: { readonly lines: readonly Phrase[]; readonly small?: readonly Phrase[] | undefined },
  undo: { readonly button: Button; readonly note: Phrase },
): Message {
  const { text, blocks } = messageOf(message);
  return {
    text,
    blocks: [
      ...blocks,
      { ...context(undo.note), block_id: blockIds.note },
      { ...actions([undo.button]), block_id: blockIds.button },
    ],
  };
}

/** The same message once its Undo is used or over; null where it has none. */
export function withoutUndo({ text, blocks }: Message): Message | null {
  const isUndo = ({ block_id: id }: { block_id?: string }) => id === blockIds.note || id === blockIds.button;
  return blocks.some(isUndo) ? { text, blocks: blocks.filter((block) => !isUndo(block)) } : null;
}
