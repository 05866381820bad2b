import type { SlackPerson } from '../../core/model/people.ts';
import { earlier } from '../../lib/durations.ts';
import { type Db, first, run, sql } from '../sql.ts';

// The table `command_tries`: how often each person has recently asked for something, across all processes.

/** Whether a try is allowed and, if not, how long to wait. */
type Allowance = { readonly allowed: true } | { readonly allowed: false; readonly retryInSeconds: number };

/** Counts a try, if fewer than `most` were in the last `withinMs`. In one statement: processes wait for each other's row. */
export async function take(
  db: Db,
  { teamId, userId }: Pick<SlackPerson, 'teamId' | 'userId'>,
  { most, withinMs }: { readonly most: number; readonly withinMs: number },
  now: Date,
): Promise<Allowance> {
  const since = earlier(now, withinMs);
  const recent = sql`array(select tried from unnest(t.tried_at) as tried where tried > ${since}::timestamptz order by tried)`;
  const row = await first(db)<{ taken: boolean; first: Date | null }>`
    with taken as (
      insert into plancast.command_tries as t (team_id, user_id, tried_at, last_at)
      values (${teamId}, ${userId}, array[${now}::timestamptz], ${now})
      on conflict (team_id, user_id) do update set tried_at = ${recent} || ${now}::timestamptz, last_at = ${now}
      where cardinality(${recent}) < ${most}
      returning 1
    )
    select exists (select from taken) as taken, (
      select min(tried) from plancast.command_tries t, unnest(t.tried_at) as tried
      where t.team_id = ${teamId} and t.user_id = ${userId} and tried > ${since}::timestamptz) as first`;
  if (row?.taken) return { allowed: true };
  const againAt = (row?.first ?? now).getTime() + withinMs;
  return { allowed: false, retryInSeconds: Math.max(1, Math.ceil((againAt - now.getTime()) / 1_000)) };
}

/** Deletes the tries of people who have asked for nothing since `before`. */
export const forget = (db: Db, before: Date): Promise<void> =>
  run(db)`delete from plancast.command_tries where last_at < ${before}`;
