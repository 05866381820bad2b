import { signalLanes } from '../../store/lane-signals.ts';
import * as channelMoves from '../../store/tables/channel-moves.ts';
import type { Bot } from '../bot.ts';
import type { Channel } from '../model/people.ts';

/** Moves a channel's subscriptions and pending events to its new id. A repeated event changes nothing. */
export async function moveChannel({ db }: Bot, channel: Channel, newChannelId: string): Promise<void> {
  if (newChannelId === channel.channelId) return;
  await channelMoves.move(db, channel, newChannelId);
  await signalLanes(db, [{ ...channel, channelId: newChannelId }]);
}
