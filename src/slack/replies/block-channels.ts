import type { KnownBlock } from '@slack/types';
import type { Message } from '../../messages/text/message.ts';

/** Which channel a block is about, in front of the block's own id; Slack sends it back with what is pressed there. */
const named = /^in:([CDG][A-Z0-9]{1,40})\/\d{1,2}\/([\s\S]*)$/;

/**
 * The same message for another conversation than the one it is about: its buttons name the channel, because Slack only reports where they
 * were pressed. Unchanged if it is about no channel.
 */
export function aboutChannel(message: Message, channelId: string | null): Message {
  if (channelId === null || channelId === '') return message;
  const blocks = message.blocks.map(
    (block, index): KnownBlock =>
      isPressed(block) ? { ...block, block_id: `in:${channelId}/${index}/${block.block_id ?? ''}` } : block,
  );
  return { ...message, blocks };
}

/** Reads a block's id; `channelId` is null if it names none. */
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
