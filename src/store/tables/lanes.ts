import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database, LanesTable } from '../schema.ts';

/** The state of a lane for readers that do not take it. */
type LaneState = Pick<
  Selectable<LanesTable>,
  'notBefore' | 'lastPostAt' | 'failures' | 'pausedReason' | 'mutedUntil'
>;

/** Creates a channel's lane if it has none yet. */
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

/** The table `lanes` for everything but turns, which `makeLaneQueue` takes and marks. */
export function makeLanes({ db }: { readonly db: Kysely<Database> }) {
  return {
    /**
     * Ends a turn that found the channel closed: pauses the lane, unless the channel was reported open again since the turn started at
     * `since`.
     * @returns the state of the lane now; `lost` if another process claimed it in the meantime, and nothing was changed
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
          // Reopening has cleared the reason; since then an event may have closed the channel again.
          pausedReason: sql`case when reopened_at >= ${since} then paused_reason else ${reason} end`,
        })
        .where(inChannel(lane))
        .where('fence', '=', fence)
        .returning('pausedReason')
        .executeTakeFirst();
      if (!row) return 'lost';
      return row.pausedReason === null ? 'open' : 'paused';
    },

    /** Pauses a lane, even if it is claimed: Slack reported the channel as closed. `reason` is Slack's error code. */
    async shut({ enterpriseId, teamId, channelId }: Channel, reason: string): Promise<void> {
      await db
        .insertInto('plancast.lanes')
        .values({ enterpriseId, teamId, channelId, fence: 0, pausedReason: reason })
        .onConflict((conflict) =>
          conflict.columns(['teamId', 'channelId']).doUpdateSet({ pausedReason: reason }),
        )
        .execute();
    },

    /** Lets a lane post again, even one that is just about to be paused. */
    async reopen(lane: Channel, now: Date): Promise<void> {
      await db
        .updateTable('plancast.lanes')
        .set({ pausedReason: null, notBefore: null, failures: 0, reopenedAt: now })
        .where(inChannel(lane))
        .execute();
    },

    /** Returns until when a lane is muted; null if it is not muted. */
    async mutedUntil(lane: Channel): Promise<Date | null> {
      const row = await db
        .selectFrom('plancast.lanes')
        .select('mutedUntil')
        .where(inChannel(lane))
        .executeTakeFirst();
      return row?.mutedUntil ?? null;
    },

    /** Returns the state of a lane without taking it; null if the channel has no lane. */
    async find(lane: Channel): Promise<LaneState | null> {
      const row = await db
        .selectFrom('plancast.lanes')
        .select(['notBefore', 'lastPostAt', 'failures', 'pausedReason', 'mutedUntil'])
        .where(inChannel(lane))
        .executeTakeFirst();
      return row ?? null;
    },

    /** Lists lanes whose mute has expired. */
    mutedBefore: (now: Date): Promise<Channel[]> =>
      db
        .selectFrom('plancast.lanes')
        .select(['enterpriseId', 'teamId', 'channelId'])
        .where('mutedUntil', '<=', now)
        .execute(),

    /** Unmutes a lane whose mute has expired; false if it was muted again meanwhile, or is no longer muted. */
    async endMute(lane: Channel, now: Date): Promise<boolean> {
      const result = await db
        .updateTable('plancast.lanes')
        .set({ mutedUntil: null })
        .where(inChannel(lane))
        .where('mutedUntil', '<=', now)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Mutes a lane until `until`, or unmutes it with null. */
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
