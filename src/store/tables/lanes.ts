import { type Kysely, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

/** How a lane stands for those who only look. */
export type LaneState = {
  readonly notBefore: Date | null;
  readonly lastPostAt: Date | null;
  readonly failures: number;
  readonly pausedReason: string | null;
  readonly mutedUntil: Date | null;
};

/** Makes a lane of a channel, where it has none yet. */
export async function addLane(
  db: Kysely<Database>,
  { enterpriseId, teamId, channelId }: Channel,
): Promise<void> {
  await db
    .insertInto('plancast.lanes')
    .values({ enterprise_id: enterpriseId, team_id: teamId, channel_id: channelId, fence: 0 })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id']).doNothing())
    .execute();
}

/** The table `lanes` for all but the turns themselves, which `makeLaneQueue` takes and marks. */
export function makeLanes({ db }: { readonly db: Kysely<Database> }) {
  return {
    /**
     * Ends a turn that found the channel closed: the lane is paused, unless the channel was said to be open again since the turn
     * started at `since`.
     * @returns how the lane is now; `lost` where another claimed it in the meantime, and nothing was changed
     */
    async close(
      lane: Channel,
      fence: string,
      { reason, since }: { reason: string; since: Date },
    ): Promise<'paused' | 'open' | 'lost'> {
      const row = await db
        .updateTable('plancast.lanes')
        .set({
          claimed_until: null,
          attempt: null,
          // Reopening has emptied it; since then an event may have closed the channel again.
          paused_reason: sql`case when reopened_at >= ${since} then paused_reason else ${reason} end`,
        })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where('fence', '=', fence)
        .returning('paused_reason')
        .executeTakeFirst();
      if (!row) return 'lost';
      return row.paused_reason === null ? 'open' : 'paused';
    },

    /** Closes a lane, even if it is claimed: Slack reported the channel as closed. `reason` is Slack's error code. */
    async shut({ enterpriseId, teamId, channelId }: Channel, reason: string): Promise<void> {
      await db
        .insertInto('plancast.lanes')
        .values({
          enterprise_id: enterpriseId,
          team_id: teamId,
          channel_id: channelId,
          fence: 0,
          paused_reason: reason,
        })
        .onConflict((conflict) =>
          conflict.columns(['team_id', 'channel_id']).doUpdateSet({ paused_reason: reason }),
        )
        .execute();
    },

    /** Lets a lane post again, also one that is just about to be paused. */
    async reopen(lane: Channel, now: Date): Promise<void> {
      await db
        .updateTable('plancast.lanes')
        .set({ paused_reason: null, not_before: null, failures: 0, reopened_at: now })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .execute();
    },

    /** Until when a lane is muted; null where it is not, or no longer knows. */
    async mutedUntil(lane: Channel): Promise<Date | null> {
      const row = await db
        .selectFrom('plancast.lanes')
        .select('muted_until')
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .executeTakeFirst();
      return row?.muted_until ?? null;
    },

    /** How a lane stands, without taking it; null where nothing was ever posted or muted there. */
    async find(lane: Channel): Promise<LaneState | null> {
      const row = await db
        .selectFrom('plancast.lanes')
        .select(['not_before', 'last_post_at', 'failures', 'paused_reason', 'muted_until'])
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .executeTakeFirst();
      if (!row) return null;
      return {
        notBefore: row.not_before,
        lastPostAt: row.last_post_at,
        failures: row.failures,
        pausedReason: row.paused_reason,
        mutedUntil: row.muted_until,
      };
    },

    /** Lanes whose muting has come to its end. */
    async mutedBefore(now: Date): Promise<Channel[]> {
      const rows = await db
        .selectFrom('plancast.lanes')
        .select(['enterprise_id', 'team_id', 'channel_id'])
        .where('muted_until', '<=', now)
        .execute();
      return rows.map((row) => ({
        enterpriseId: row.enterprise_id,
        teamId: row.team_id,
        channelId: row.channel_id,
      }));
    },

    /** Mutes a lane until then, or unmutes it with null. */
    async mute(lane: Channel, until: Date | null): Promise<void> {
      await db
        .insertInto('plancast.lanes')
        .values({
          enterprise_id: lane.enterpriseId,
          team_id: lane.teamId,
          channel_id: lane.channelId,
          fence: 0,
          muted_until: until,
        })
        .onConflict((conflict) =>
          conflict.columns(['team_id', 'channel_id']).doUpdateSet({ muted_until: until }),
        )
        .execute();
    },
  };
}

export type Lanes = ReturnType<typeof makeLanes>;
