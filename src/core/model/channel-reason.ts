import type { SubscriptionState } from './subscription.ts';

/** Why a channel is closed to the bot. */
export const channelReasons = [
  'not in channel',
  'channel archived',
  'posting restricted',
  'workspace access',
] as const;
export type ChannelReason = (typeof channelReasons)[number];

/** Whether a row is paused because of its channel, and not because of its owner or a person. */
export function waitsForChannel({
  state,
  reason,
}: {
  readonly state: SubscriptionState;
  readonly reason: string | null;
}): boolean {
  return state === 'paused' && channelReasons.some((known) => known === reason);
}
