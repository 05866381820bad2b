import type { ChannelMoves } from '../../store/tables/channel-moves.ts';
import type { Channel } from '../model/people.ts';

/** Continues a channel under its new id, with all that it follows and all that waits for it. A repeated event changes nothing. */
export type MoveChannel = (channel: Channel, newChannelId: string) => Promise<void>;

export type MoveChannelDeps = {
  readonly channelMoves: ChannelMoves;
  readonly enqueue: (lane: Channel) => Promise<void>;
};

export function makeMoveChannel(deps: MoveChannelDeps): MoveChannel {
  return async (channel, newChannelId) => {
    if (newChannelId === channel.channelId) return;
    await deps.channelMoves.move(channel, newChannelId);
    await deps.enqueue({ ...channel, channelId: newChannelId });
  };
}
