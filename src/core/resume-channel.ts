import { subscriptionResumed } from '../messages/announcements.ts';
import type { Lanes } from '../store/lanes.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Clock } from './clock.ts';
import type { Channel } from './people.ts';
import { subscribedOf } from './subscribed-of.ts';
import type { Together } from './together.ts';

export type ResumeChannelDeps = {
  readonly clock: Clock;
  readonly subscriptions: Pick<Subscriptions, 'ofChannel' | 'resume'>;
  readonly lanes: Pick<Lanes, 'reopen'>;
  readonly together: Together;
  readonly enqueue: (lane: Channel) => Promise<void>;
};

/** Pauses that end when the channel is open to the bot again. */
export const channelReasons = new Set([
  'not in channel',
  'channel archived',
  'posting restricted',
  'workspace access',
]);

/** Lets a channel's subscriptions go on when the bot may post there again; what was missed is told in one summary. */
export function makeResumeChannel(deps: ResumeChannelDeps) {
  return async (channel: Channel): Promise<void> => {
    // First, so that a turn that is just being told of a closed channel does not pause what is open again.
    await deps.lanes.reopen(channel, deps.clock.now());
    const waitedForIt = (await deps.subscriptions.ofChannel(channel)).filter(
      ({ state, reason }) => state === 'paused' && channelReasons.has(reason ?? ''),
    );
    const resumed = await deps.subscriptions.resume(
      waitedForIt.map(({ id }) => id),
      deps.clock.now(),
    );
    for (const row of resumed) {
      // Both at once, so that the summary does not come before the sentence that says why there is one.
      await deps.together(async ({ events, announce }) => {
        const missed = await events.letGo(channel, 'paused', [row.id]);
        await announce(channel, subscriptionResumed({ subscribed: subscribedOf(row), missed }));
      });
    }
    await deps.enqueue(channel);
  };
}
