import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database, LanesTable } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';

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
  /** Changes a lane, and creates it if the channel has none yet. */
  async function put(
    { enterpriseId, teamId, channelId }: Channel,
    change: Partial<Pick<LanesTable, 'pausedReason' | 'mutedUntil'>>,
  ): Promise<void> {
    await db
      .insertInto('plancast.lanes')
      .values({ enterpriseId, teamId, channelId, fence: 0, ...change })
      .onConflict((conflict) => conflict.columns(['teamId', 'channelId']).doUpdateSet(change))
      .execute();
  }

  async function find(lane: Channel): Promise<LaneState | null> {
    const row = await db
      .selectFrom('plancast.lanes')
      .select(['notBefore', 'lastPostAt', 'failures', 'pausedReason', 'mutedUntil'])
      .where(inChannel(lane))
      .executeTakeFirst();
    return row ?? null;
  }

  return {
    /**
     * Ends a turn that found the channel closed: pauses the lane, unless the channel was reported open again since the turn started at
     * `since`.
     * @returns the state of the lane now; `lost` if another process claimed it in the meantime, and nothing was changed
     */
    async pauseAfterTurn(
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
    pause: (lane: Channel, reason: string): Promise<void> => put(lane, { pausedReason: reason }),

    /** Lets a lane post again, even one that is just about to be paused. */
    async reopen(lane: Channel, now: Date): Promise<void> {
      await db
        .updateTable('plancast.lanes')
        .set({ pausedReason: null, notBefore: null, failures: 0, reopenedAt: now })
        .where(inChannel(lane))
        .execute();
    },

    /** Returns until when a lane is muted; null if it is not muted. */
    mutedUntil: async (lane: Channel): Promise<Date | null> => (await find(lane))?.mutedUntil ?? null,

    /** Returns the state of a lane without taking it; null if the channel has no lane. */
    find,

    /** Lists lanes whose mute has expired. */
    mutedBefore: (now: Date): Promise<Channel[]> =>
      db
        .selectFrom('plancast.lanes')
        .select(['enterpriseId', 'teamId', 'channelId'])
        .where('mutedUntil', '<=', now)
        .execute(),

    /** Unmutes a lane whose mute has expired; false if it was muted again meanwhile, or is no longer muted. */
    async endMute(lane: Channel, now: Date): Promise<boolean> {
      return db
        .updateTable('plancast.lanes')
        .set({ mutedUntil: null })
        .where(inChannel(lane))
        .where('mutedUntil', '<=', now)
        .$call(wroteRow);
    },

    /** Mutes a lane until `until`, or unmutes it with null. */
    mute: (lane: Channel, until: Date | null): Promise<void> => put(lane, { mutedUntil: until }),
  };
}

export type Lanes = ReturnType<typeof makeLanes>;

type ShimLanes = ReturnType<typeof makeLanes>;
/** For core, which is handed the database. */
export const pauseAfterTurn = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['pauseAfterTurn']>) =>
  makeLanes({ db }).pauseAfterTurn(...rest);
/** For core, which is handed the database. */
export const pause = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['pause']>) =>
  makeLanes({ db }).pause(...rest);
/** For core, which is handed the database. */
export const reopen = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['reopen']>) =>
  makeLanes({ db }).reopen(...rest);
/** For core, which is handed the database. */
export const mutedUntil = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['mutedUntil']>) =>
  makeLanes({ db }).mutedUntil(...rest);
/** For core, which is handed the database. */
export const find = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['find']>) =>
  makeLanes({ db }).find(...rest);
/** For core, which is handed the database. */
export const mutedBefore = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['mutedBefore']>) =>
  makeLanes({ db }).mutedBefore(...rest);
/** For core, which is handed the database. */
export const endMute = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['endMute']>) =>
  makeLanes({ db }).endMute(...rest);
/** For core, which is handed the database. */
export const mute = (db: Kysely<Database>, ...rest: Parameters<ShimLanes['mute']>) =>
  makeLanes({ db }).mute(...rest);
