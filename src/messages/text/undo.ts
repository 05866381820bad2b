import type { Button } from '@slack/types';
import { actions, context, type Message, messageOf } from './message.ts';
import type { Phrase } from './phrase.ts';

const blockIds = { note: 'undo_note', button: 'undo' } as const;

/**
 * Makes a short message with an Undo button, which is removed once it is used or expired.
 *
 * @param undo `note` says how long it works; note and button are blocks of their own and not part of the text
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

/** Returns the message without its Undo; null if it has none. */
export function withoutUndo({ text, blocks }: Message): Message | null {
  const isUndo = ({ block_id: id }: { block_id?: string }) => id === blockIds.note || id === blockIds.button;
  return blocks.some(isUndo) ? { text, blocks: blocks.filter((block) => !isUndo(block)) } : null;
}
