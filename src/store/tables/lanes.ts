import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database, LanesTable } from '../schema.ts';

/** How a lane stands for those who only look. */
export type LaneState = Pick<
  Selectable<LanesTable>,
  'notBefore' | 'lastPostAt' | 'failures' | 'pausedReason' | 'mutedUntil'
>;

/** Makes a lane of a channel, where it has none yet. */
export async function addLane(
  db: Kysely<Database>,
  { enterpriseId, teamId, channelId }: Channel,
): Promise<void> {
  await db
    .insertInto('plancast.lanes')
    .values({ enterpriseId, teamId, channelId, fence: 0 })
    .onConflict((conflict) => conflict.columns(['teamId', 'channelId']).doNothing())
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
          claimedUntil: null,
          attempt: null,
          // Reopening has emptied it; since then an event may have closed the channel again.
          pausedReason: sql`case when reopened_at >= ${since} then paused_reason else ${reason} end`,
        })
        .where(inChannel(lane))
        .where('fence', '=', fence)
        .returning('pausedReason')
        .executeTakeFirst();
      if (!row) return 'lost';
      return row.pausedReason === null ? 'open' : 'paused';
    },

    /** Closes a lane, even if it is claimed: Slack reported the channel as closed. `reason` is Slack's error code. */
    async shut({ enterpriseId, teamId, channelId }: Channel, reason: string): Promise<void> {
      await db
        .insertInto('plancast.lanes')
        .values({ enterpriseId, teamId, channelId, fence: 0, pausedReason: reason })
        .onConflict((conflict) =>
          conflict.columns(['teamId', 'channelId']).doUpdateSet({ pausedReason: reason }),
        )
        .execute();
    },

    /** Lets a lane post again, also one that is just about to be paused. */
    async reopen(lane: Channel, now: Date): Promise<void> {
      await db
        .updateTable('plancast.lanes')
        .set({ pausedReason: null, notBefore: null, failures: 0, reopenedAt: now })
        .where(inChannel(lane))
        .execute();
    },

    /** Until when a lane is muted; null where it is not, or no longer knows. */
    async mutedUntil(lane: Channel): Promise<Date | null> {
      const row = await db
        .selectFrom('plancast.lanes')
        .select('mutedUntil')
        .where(inChannel(lane))
        .executeTakeFirst();
      return row?.mutedUntil ?? null;
    },

    /** How a lane stands, without taking it; null where nothing was ever posted or muted there. */
    async find(lane: Channel): Promise<LaneState | null> {
      const row = await db
        .selectFrom('plancast.lanes')
        .select(['notBefore', 'lastPostAt', 'failures', 'pausedReason', 'mutedUntil'])
        .where(inChannel(lane))
        .executeTakeFirst();
      return row ?? null;
    },

    /** Lanes whose muting has come to its end. */
    mutedBefore: (now: Date): Promise<Channel[]> =>
      db
        .selectFrom('plancast.lanes')
        .select(['enterpriseId', 'teamId', 'channelId'])
        .where('mutedUntil', '<=', now)
        .execute(),

    /** Unmutes a lane whose muting has come to its end; false where it was muted again meanwhile, or is not muted any more. */
    async endMute(lane: Channel, now: Date): Promise<boolean> {
      const result = await db
        .updateTable('plancast.lanes')
        .set({ mutedUntil: null })
        .where(inChannel(lane))
        .where('mutedUntil', '<=', now)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Mutes a lane until then, or unmutes it with null. */
    async mute({ enterpriseId, teamId, channelId }: Channel, until: Date | null): Promise<void> {
      await db
        .insertInto('plancast.lanes')
        .values({ enterpriseId, teamId, channelId, fence: 0, mutedUntil: until })
        .onConflict((conflict) =>
          conflict.columns(['teamId', 'channelId']).doUpdateSet({ mutedUntil: until }),
        )
        .execute();
    },
  };
}

export type Lanes = ReturnType<typeof makeLanes>;
