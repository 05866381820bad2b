import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import { all, type Db, first, sql, wrote } from '../sql.ts';

/*
 * The table `lanes` for everything but turns, which `makeLaneQueue` takes and marks. `claimed_by`: the statement that claimed it; if its
 * answer was lost, its process recognizes the lane by this. `card`: the last message, while it may still be edited. `reopened_at`: when the channel was last reported open to the bot.
 * `setbacks`: 2 for each turn that failed, 1 for each that never ended, and 2 less for each other one. `moved_at`: when a turn last settled
 * or held events of it.
 */

/** The state of a lane for readers that do not take it. */
type LaneState = {
  readonly notBefore: Date | null;
  readonly lastPostAt: Date | null;
  readonly failures: number;
  readonly setbacks: number;
  readonly movedAt: Date | null;
  readonly pausedReason: string | null;
  readonly mutedUntil: Date | null;
};

/** Creates a channel's lane if it has none yet. */
export async function addLane(db: Db, { enterpriseId, teamId, channelId }: Channel): Promise<void> {
  await sql`
    insert into plancast.lanes (enterprise_id, team_id, channel_id, fence) values (${enterpriseId}, ${teamId}, ${channelId}, 0)
    on conflict (team_id, channel_id) do nothing`.execute(db);
}

/**
 * Ends a turn that found the channel closed: pauses the lane, unless the channel was reported open again since the turn started at
 * `since`.
 * @returns the state of the lane now; `lost` if another process claimed it in the meantime, and nothing was changed
 */
export async function pauseAfterTurn(
  db: Db,
  lane: Channel,
  fence: string,
  { reason, since }: { reason: string; since: Date },
): Promise<'paused' | 'open' | 'lost'> {
  // Reopening has cleared the reason; since then an event may have closed the channel again.
  const row = await first(db)<{ pausedReason: string | null }>`
    update plancast.lanes set claimed_until = null,
      paused_reason = case when reopened_at >= ${since} then paused_reason else ${reason} end
    where ${inChannel(lane)} and fence = ${fence} returning paused_reason`;
  if (!row) return 'lost';
  return row.pausedReason === null ? 'open' : 'paused';
}

/** Pauses a lane, even if it is claimed: Slack reported the channel as closed. `reason` is Slack's error code. */
export async function pause(
  db: Db,
  { enterpriseId, teamId, channelId }: Channel,
  reason: string,
): Promise<void> {
  await sql`
    insert into plancast.lanes (enterprise_id, team_id, channel_id, fence, paused_reason)
    values (${enterpriseId}, ${teamId}, ${channelId}, 0, ${reason})
    on conflict (team_id, channel_id) do update set paused_reason = excluded.paused_reason`.execute(db);
}

/** Lets a lane post again, even one that is just about to be paused. */
export async function reopen(db: Db, lane: Channel, now: Date): Promise<void> {
  await sql`
    update plancast.lanes set paused_reason = null, not_before = null, failures = 0, reopened_at = ${now}
    where ${inChannel(lane)}`.execute(db);
}

/** Returns until when a lane is muted; null if it is not muted. */
export const mutedUntil = async (db: Db, lane: Channel): Promise<Date | null> =>
  (await find(db, lane))?.mutedUntil ?? null;

/** Returns the state of a lane without taking it; null if the channel has no lane. */
export const find = (db: Db, lane: Channel): Promise<LaneState | null> =>
  first(db)`
    select not_before, last_post_at, failures, setbacks, moved_at, paused_reason, muted_until from plancast.lanes
    where ${inChannel(lane)}`;

/** Lists lanes whose mute has expired. */
export const mutedBefore = (db: Db, now: Date): Promise<Channel[]> =>
  all(db)`select enterprise_id, team_id, channel_id from plancast.lanes where muted_until <= ${now}`;

/** Unmutes a lane whose mute has expired; false if it was muted again meanwhile, or is no longer muted. */
export const endMute = (db: Db, lane: Channel, now: Date): Promise<boolean> =>
  wrote(db)`update plancast.lanes set muted_until = null where ${inChannel(lane)} and muted_until <= ${now}`;

/** Mutes a lane until `until`, or unmutes it with null. */
export async function mute(
  db: Db,
  { enterpriseId, teamId, channelId }: Channel,
  until: Date | null,
): Promise<void> {
  await sql`
    insert into plancast.lanes (enterprise_id, team_id, channel_id, fence, muted_until)
    values (${enterpriseId}, ${teamId}, ${channelId}, 0, ${until})
    on conflict (team_id, channel_id) do update set muted_until = excluded.muted_until`.execute(db);
}
