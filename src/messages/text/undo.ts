import type { Button } from '@slack/types';
import { actions, context, type Message, messageOf } from './message.ts';
import type { Phrase } from './phrase.ts';

const blockIds = { note: 'undo_note', button: 'undo' } as const;

/**
 * Makes a short message with an Undo button, which is removed once it is used or expired. `buttons` stay.
 *
 * @param undo `note` says how long it works; note and button are blocks of their own and not part of the text
 */
export function withUndo(
  {
    buttons = [],
    ...message
  }: Omit<Parameters<typeof messageOf>[0], 'buttons'> & { readonly buttons?: readonly Button[] },
  undo: { readonly button: Button; readonly note: Phrase },
): Message {
  const { text, blocks } = messageOf(message);
  return {
    text,
    blocks: [
      ...blocks,
      { ...context(undo.note), block_id: blockIds.note },
      { ...actions([...buttons, undo.button]), block_id: blockIds.button },
    ],
  };
}

/** Returns the message without its Undo; null if it has none. */
export function withoutUndo({ text, blocks }: Message): Message | null {
  if (!blocks.some(({ block_id: id }) => id === blockIds.note)) return null;
  return {
    text,
    blocks: blocks.flatMap((block) => {
      if (block.block_id === blockIds.note) return [];
      if (block.type !== 'actions' || block.block_id !== blockIds.button) return [block];
      return block.elements.length === 1 ? [] : [{ ...block, elements: block.elements.slice(0, -1) }];
    }),
  };
}
