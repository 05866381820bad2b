import { channelMuted, channelUnmuted } from '../messages/announcements.ts';
import { notMuted } from '../messages/answers.ts';
import type { Message } from '../messages/message.ts';
import type { Events } from '../store/events.ts';
import type { Lanes } from '../store/lanes.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Asked } from './asked.ts';
import { channelOf } from './channel-of.ts';
import type { Clock } from './clock.ts';
import type { Channel, ProfileOf } from './people.ts';
import type { Together } from './together.ts';

export type MuteDeps = {
  readonly clock: Clock;
  readonly lanes: Pick<Lanes, 'mute' | 'mutedUntil'>;
  readonly events: Pick<Events, 'letGo'>;
  readonly subscriptions: Pick<Subscriptions, 'ofChannel'>;
  readonly profileOf: ProfileOf;
  readonly together: Together;
  readonly announce: (channel: Channel, message: Message) => Promise<void>;
  readonly enqueue: (lane: Channel) => Promise<void>;
};

/** Keeps a channel quiet for a while. Its events are kept, and told in one summary afterwards. */
export function makeMute(deps: MuteDeps) {
  const { clock, lanes } = deps;
  const by = async ({ person }: Asked) => ({
    userId: person.userId,
    name: (await deps.profileOf(person)).name,
  });

  /** Lets what waited go. */
  async function letGo(lane: Channel, events: Pick<Events, 'letGo'>): Promise<number> {
    const subscriptions = await deps.subscriptions.ofChannel(lane);
    const ids = subscriptions.map(({ id }) => id);
    return events.letGo(lane, 'muted', ids);
  }

  return {
    /** Mutes the channel from now on. */
    async mute(asked: Asked, minutes: number): Promise<void> {
      const lane = channelOf(asked);
      const until = new Date(clock.now().getTime() + minutes * 60_000);
      await lanes.mute(lane, until);
      await deps.announce(lane, channelMuted({ by: await by(asked), until }));
    },

    /** Ends the muting before its time. */
    async unmute(asked: Asked): Promise<void> {
      const lane = channelOf(asked);
      const until = await lanes.mutedUntil(lane);
      if (until === null || until <= clock.now()) return asked.reply(notMuted());
      await lanes.mute(lane, null);
      const who = await by(asked);
      // Both at once, so that the summary does not come before the sentence that says why there is one.
      await deps.together(async ({ events, announce }) => {
        const waiting = await letGo(lane, events);
        await announce(lane, channelUnmuted({ by: who, waiting }));
      });
    },

    /** Ends what is over by itself. Run each minute. */
    async endOver(lanesOver: readonly Channel[]): Promise<void> {
      for (const lane of lanesOver) {
        await lanes.mute(lane, null);
        if ((await letGo(lane, deps.events)) > 0) await deps.enqueue(lane);
      }
    },
  };
}

export type Mute = ReturnType<typeof makeMute>;
