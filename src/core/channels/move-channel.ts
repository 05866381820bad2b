import type { ChannelMoves } from '../../store/tables/channel-moves.ts';
import type { Channel } from '../model/people.ts';

/** Moves a channel's subscriptions and pending events to its new id. A repeated event changes nothing. */
type MoveChannel = (channel: Channel, newChannelId: string) => Promise<void>;

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
