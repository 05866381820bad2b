import type { Channel } from '../../core/model/people.ts';
import type { QuietHours, QuietPeriod } from '../../core/model/quiet-hours.ts';
import { type Db, first, inChannel, json, run, wrote } from '../sql.ts';

/*
 * The table `lanes` for everything but turns, which `makeLaneQueue` takes and marks. `claimed_by`: the statement that claimed it; if its
 * answer was lost, its process recognizes the lane by this. `card`: the last message, while it may still be edited. `reopened_at`: when the channel was last reported open to the bot.
 * `setbacks`: 2 for each turn that failed, 1 for each that never ended, and 2 less for each other one. `moved_at`: when a turn last settled
 * or held events of it.
 */

/** The state of a lane. */
export type LaneState = {
  readonly notBefore: Date | null;
  readonly lastPostAt: Date | null;
  readonly failures: number;
  /** How badly its last turns went. */
  readonly setbacks: number;
  readonly movedAt: Date | null;
  readonly pausedReason: string | null;
  readonly mutedUntil: Date | null;
  /** When the mute was to end, which quiet hours may have moved; null also for mutes of older releases. */
  readonly muteAskedUntil: Date | null;
  /** Its quiet hours, and the stretch of them that is or that comes next; all null if it has none. */
  readonly quiet: QuietHours | null;
  readonly quietFrom: Date | null;
  readonly quietUntil: Date | null;
};

/** Creates a channel's lane if it has none yet. */
export const addLane = (db: Db, { enterpriseId, teamId, channelId }: Channel): Promise<void> =>
  run(db)`
    insert into plancast.lanes (enterprise_id, team_id, channel_id, fence) values (${enterpriseId}, ${teamId}, ${channelId}, 0)
    on conflict (team_id, channel_id) do nothing`;

/** Locks a channel's lane until the transaction ends, so that one process at a time settles the channel. */
export async function lock(db: Db, lane: Channel): Promise<void> {
  await addLane(db, lane);
  await run(db)`select from plancast.lanes where ${inChannel(lane)} for update`;
}

/** Ends a turn that found the channel closed, unless that was reopened since. `lost`: another process claimed it, nothing changed. */
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
export const pause = (db: Db, lane: Channel, reason: string): Promise<void> =>
  run(db)`update plancast.lanes set paused_reason = ${reason} where ${inChannel(lane)}`;

/** Lets a lane post again, even one that is just about to be paused. */
export const reopen = (db: Db, lane: Channel, now: Date): Promise<void> =>
  run(db)`
    update plancast.lanes set paused_reason = null, not_before = null, failures = 0, reopened_at = ${now}
    where ${inChannel(lane)}`;

/** Returns the state of a lane without taking it; null if the channel has no lane. */
export const find = (db: Db, lane: Channel): Promise<LaneState | null> =>
  first(db)`
    select not_before, last_post_at, failures, setbacks, moved_at, paused_reason, muted_until, mute_asked_until,
      quiet, quiet_from, quiet_until from plancast.lanes
    where ${inChannel(lane)}`;

/** Unmutes a lane whose mute has expired. */
export const endMute = (db: Db, lane: Channel, now: Date): Promise<void> =>
  run(db)`
    update plancast.lanes set muted_until = null, mute_asked_until = null
    where ${inChannel(lane)} and muted_until <= ${now}`;

/** Mutes a lane until then, or unmutes it with null; false if it was not muted. `asked`: until when, if quiet hours have moved that. */
export const mute = (db: Db, lane: Channel, until: Date | null, now: Date, asked = until): Promise<boolean> =>
  wrote(db)`
    update plancast.lanes set muted_until = ${until}, mute_asked_until = ${asked}
    where ${inChannel(lane)} and (${until !== null} or muted_until > ${now})`;

/** Stores a lane's quiet hours with the stretch of them that is or that comes next, or ends them with null. */
export const setQuiet = (
  db: Db,
  lane: Channel,
  quiet: (QuietPeriod & { readonly hours: QuietHours }) | null,
): Promise<void> =>
  run(db)`
    update plancast.lanes set quiet = ${quiet && json(quiet.hours)}, quiet_from = ${quiet?.from ?? null}, quiet_until = ${quiet?.until ?? null}
    where ${inChannel(lane)}`;
