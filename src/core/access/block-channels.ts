import type { KnownBlock } from '@slack/types';
import { isPressed, type Message } from '../../messages/text/message.ts';

/** A block id prefixed with the channel that the block is about. Slack sends it back with each press. */
const named = /^in:([CDG][A-Z0-9]{1,40})\/\d{1,2}\/([\s\S]*)$/;

/**
 * Prepares a message about a channel for a different conversation: its blocks name the channel, because Slack only reports where a button
 * was pressed. Returns the message unchanged if it is not about a channel.
 */
export function aboutChannel(message: Message, channelId: string | null): Message {
  if (channelId === null || channelId === '') return message;
  const blocks = message.blocks.map(
    (block, index): KnownBlock =>
      isPressed(block) ? { ...block, block_id: `in:${channelId}/${index}/${block.block_id ?? ''}` } : block,
  );
  return { ...message, blocks };
}

/** Splits a block id into the channel it names and the block's own id; `channelId` is null if it names none. */
export function readBlockChannel(blockId: string): {
  readonly channelId: string | null;
  readonly blockId: string;
} {
  const [, channelId, own] = named.exec(blockId) ?? [];
  return channelId === undefined ? { channelId: null, blockId } : { channelId, blockId: own ?? '' };
}
