import { later, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import { notMuted } from '../../messages/subscribing/answers.ts';
import { channelMuted, channelUnmuted } from '../../messages/subscribing/channel-announcements.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Lanes } from '../../store/tables/lanes.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import type { Clock } from '../model/clock.ts';
import type { Channel, ProfileOf } from '../model/people.ts';
import { unmutedSubject } from '../model/summary-lead.ts';
import type { InTransaction } from '../upstream/in-transaction.ts';

export type MuteDeps = {
  readonly clock: Clock;
  readonly lanes: Pick<Lanes, 'mute' | 'mutedUntil'>;
  readonly events: Pick<Events, 'releaseHeld'>;
  readonly subscriptions: Pick<Subscriptions, 'ofChannel'>;
  readonly profileOf: ProfileOf;
  readonly inTransaction: InTransaction;
  readonly enqueue: (lane: Channel) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
};

/** Silences a channel for a while. Its events are held, and posted in one summary afterwards. */
export function makeMute(deps: MuteDeps) {
  const { clock, lanes } = deps;
  const by = (context: CommandContext) => whoActs(context, deps.profileOf);

  async function releaseHeld(lane: Channel): Promise<void> {
    const subscriptions = await deps.subscriptions.ofChannel(lane);
    const waiting = await deps.events.releaseHeld(
      lane,
      'muted',
      subscriptions.map(({ id }) => id),
    );
    if (waiting > 0) await deps.enqueue(lane);
  }

  return {
    /** Mutes the channel from now on. */
    async mute(context: CommandContext, minutes: number): Promise<void> {
      const lane = channelOf(context);
      const until = later(clock.now(), minutes * minuteMs);
      const announcement = channelMuted({ by: await by(context), until });
      // In one transaction, so a channel is never muted without an announcement.
      await deps.inTransaction(async ({ announce, lanes }) => {
        await lanes.mute(lane, until);
        await announce(lane, announcement);
      });
    },

    /** Ends a mute early. */
    async unmute(context: CommandContext): Promise<void> {
      const lane = channelOf(context);
      const until = await lanes.mutedUntil(lane);
      if (until === null || until <= clock.now()) return context.reply(notMuted());
      const who = await by(context);
      // In one transaction, so the summary cannot be posted before its announcement.
      await deps.inTransaction(async ({ announce, events, lanes, subscriptions }) => {
        await lanes.mute(lane, null);
        const ids = (await subscriptions.ofChannel(lane)).map(({ id }) => id);
        // The newest events may not have been held yet.
        await events.hold(lane, 'muted');
        const waiting = await events.releaseHeld(lane, 'muted', ids);
        await announce(lane, channelUnmuted({ by: who, waiting }), unmutedSubject);
      });
    },

    /** Ends mutes that have expired. Runs every minute. */
    async endOver(lanesOver: readonly Channel[]): Promise<void> {
      await forEachRow(
        lanesOver,
        async (lane) => {
          await lanes.mute(lane, null);
          await releaseHeld(lane);
        },
        (error, { teamId: team, channelId: channel }) =>
          deps.log.warn({ err: error, team, channel }, 'could not end an expired mute'),
      );
    },
  };
}

export type Mute = ReturnType<typeof makeMute>;
