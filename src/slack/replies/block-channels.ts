import type { KnownBlock } from '@slack/types';
import type { Message } from '../../messages/text/message.ts';

/** Which channel a block is about, in front of the block's own id; Slack sends it back with what is pressed there. */
const named = /^in:([CDG][A-Z0-9]{1,40})\/\d{1,2}\/([\s\S]*)$/;

/**
 * The same message for another conversation than the one it is about: what can be pressed in it says which that is, because Slack names
 * the one it is pressed in. Unchanged where it is about none.
 */
export function aboutChannel(message: Message, channelId: string | null): Message {
  if (channelId === null || channelId === '') return message;
  const blocks = message.blocks.map(
    (block, index): KnownBlock =>
      isPressed(block) ? { ...block, block_id: `in:${channelId}/${index}/${block.block_id ?? ''}` } : block,
  );
  return { ...message, blocks };
}

/** Reads a block's id back; `channelId` is null where it names none. */
export function readBlockChannel(blockId: string): {
  readonly channelId: string | null;
  readonly blockId: string;
} {
  const [, channelId, own] = named.exec(blockId) ?? [];
  return channelId === undefined ? { channelId: null, blockId } : { channelId, blockId: own ?? '' };
}

function isPressed(block: KnownBlock): boolean {
  return block.type === 'actions' || (block.type === 'section' && block.accessory !== undefined);
}
