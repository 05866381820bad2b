import { type Kysely, type Selectable, sql } from 'kysely';
import type { Attempt, LaneCard } from '../../core/model/lane-card.ts';
import type { Channel } from '../../core/model/people.ts';
import type { Database, LanesTable } from '../schema.ts';
import { laneLock } from './events.ts';

/** A lane as its claimer finds it. */
export type ClaimedLane = {
  /** Goes up at each claim; a mark made with an older number is refused. */
  readonly fence: string;
  /** When it was claimed. */
  readonly at: Date;
  readonly notBefore: Date | null;
  readonly lastPostAt: Date | null;
  readonly failures: number;
  readonly pausedReason: string | null;
  readonly mutedUntil: Date | null;
  /** The last message, while it may still be edited. */
  readonly card: LaneCard | null;
  /** The last post, where it is not known what became of it. */
  readonly attempt: Attempt | null;
  /** Until when the whole workspace waits. */
  readonly workspaceNotBefore: Date | null;
  /** Until when the lanes of the workspace share a pace. */
  readonly throttledUntil: Date | null;
  /** Whether one change can reach this channel twice. */
  readonly hasDuplicates: boolean;
};

export type Claim =
  | ({ readonly claimed: true } & ClaimedLane)
  | { readonly claimed: false; readonly until: Date };

/** What a turn leaves behind in its lane. */
export type LaneChange = {
  readonly notBefore?: Date | null | undefined;
  readonly lastPostAt?: Date | undefined;
  readonly failures?: number | undefined;
  readonly card?: LaneCard | null | undefined;
};

/** How a lane stands for those who only look. */
export type LaneState = Pick<
  ClaimedLane,
  'notBefore' | 'lastPostAt' | 'failures' | 'pausedReason' | 'mutedUntil'
>;

/** A turn that was overtaken: its claim ran out and another worker has the lane. Nothing of it may be marked. */
export class LaneLostError extends Error {
  override name = 'LaneLostError';
}

/** The table `lanes`: who may post to a channel right now, and what the channel was told to wait for. */
export function makeLanes({ db }: { readonly db: Kysely<Database> }) {
  return {
    /**
     * Takes a lane for one turn, until `until`. The advisory lock waits for those who are just adding events to it, and ends with the
     * statement, so that whatever is read after it holds all that was accepted before it.
     */
    async claim(lane: Channel, now: Date, until: Date): Promise<Claim> {
      const { enterpriseId, teamId, channelId } = lane;
      const { rows } = await sql<ClaimedRow>`
        with locked as materialized (select pg_advisory_xact_lock(${laneLock(lane)}))
        insert into plancast.lanes as l (enterprise_id, team_id, channel_id, fence, claimed_until)
        select ${enterpriseId}::text, ${teamId}::text, ${channelId}::text, 1, ${until}::timestamptz from locked
        on conflict (team_id, channel_id) do update set fence = l.fence + 1, claimed_until = excluded.claimed_until
          where l.claimed_until is null or l.claimed_until <= ${now}
        returning fence, not_before, last_post_at, failures, paused_reason, muted_until, card, attempt,
          (select not_before from plancast.paces p where p.team_id = l.team_id) as workspace_not_before,
          (select crowded_until from plancast.paces p where p.team_id = l.team_id) as crowded_until,
          (select count(*) > 1 or bool_or(s.previous_token_hash is not null) or max(s.changed_at) > ${recently(now)}
            from plancast.subscriptions s
            where s.team_id = l.team_id and s.channel_id = l.channel_id and s.state <> 'ended') as has_twins`.execute(
        db,
      );
      const [row] = rows;
      if (!row) {
        const holder = await db
          .selectFrom('plancast.lanes')
          .select('claimed_until')
          .where('team_id', '=', teamId)
          .where('channel_id', '=', channelId)
          .executeTakeFirst();
        return { claimed: false, until: holder?.claimed_until ?? now };
      }
      return {
        claimed: true,
        fence: row.fence,
        at: now,
        notBefore: row.not_before,
        lastPostAt: row.last_post_at,
        failures: row.failures,
        pausedReason: row.paused_reason,
        mutedUntil: row.muted_until,
        card: row.card,
        attempt: row.attempt,
        workspaceNotBefore: row.workspace_not_before,
        throttledUntil: row.crowded_until,
        hasDuplicates: row.has_twins ?? true,
      };
    },

    /**
     * Notes a post that is about to be made.
     * @throws LaneLostError as `release` does.
     */
    async noteAttempt(lane: Channel, fence: string, attempt: Attempt): Promise<void> {
      const result = await db
        .updateTable('plancast.lanes')
        .set({ attempt: JSON.stringify(attempt) })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where('fence', '=', fence)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) throw new LaneLostError(lostOf(lane));
    },

    /**
     * Ends a turn: frees the lane and notes what was learnt. `keepAttempt` where it is still not known what became of a post.
     * @throws LaneLostError where the lane was claimed by another in the meantime.
     */
    async release(
      lane: Channel,
      fence: string,
      change: LaneChange = {},
      { keepAttempt = false }: { keepAttempt?: boolean } = {},
    ): Promise<void> {
      const result = await db
        .updateTable('plancast.lanes')
        .set({
          claimed_until: null,
          ...(keepAttempt ? {} : { attempt: null }),
          ...(change.card === undefined ? {} : { card: change.card && JSON.stringify(change.card) }),
          ...(change.notBefore === undefined ? {} : { not_before: change.notBefore }),
          ...(change.lastPostAt === undefined ? {} : { last_post_at: change.lastPostAt }),
          ...(change.failures === undefined ? {} : { failures: change.failures }),
        })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where('fence', '=', fence)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) throw new LaneLostError(lostOf(lane));
    },

    /**
     * Ends a turn that found the channel closed: the lane is paused, unless the channel was said to be open again since the turn
     * began at `since`. Returns whether it is paused now.
     * @throws LaneLostError as `release` does.
     */
    async close(
      lane: Channel,
      fence: string,
      { reason, since }: { reason: string; since: Date },
    ): Promise<boolean> {
      const row = await db
        .updateTable('plancast.lanes')
        .set({
          claimed_until: null,
          // Reopening has emptied it; since then an event may have closed the channel again.
          paused_reason: sql`case when reopened_at >= ${since} then paused_reason else ${reason} end`,
        })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where('fence', '=', fence)
        .returning('paused_reason')
        .executeTakeFirst();
      if (!row) throw new LaneLostError(lostOf(lane));
      return row.paused_reason !== null;
    },

    /** Keeps a lane from posting, whoever has claimed it: Slack said that the channel is closed. `reason` as Slack's error would name it. */
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

type ClaimedRow = Pick<
  Selectable<LanesTable>,
  'fence' | 'not_before' | 'last_post_at' | 'failures' | 'paused_reason' | 'muted_until' | 'card' | 'attempt'
> & { workspace_not_before: Date | null; crowded_until: Date | null; has_twins: boolean | null };

/** Since then a subscription may have told of a change under two records at the service, of which one is gone by now. */
function recently(now: Date): Date {
  return new Date(now.getTime() - 600_000);
}

function lostOf({ teamId, channelId }: Channel): string {
  return `lane ${teamId}/${channelId} was claimed by another`;
}
