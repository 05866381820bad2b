import type { Channel, Workspace } from '../../core/model/people.ts';
import { type Db, run, sql, wrote } from '../sql.ts';

/*
 * The table `paces`: the share of Slack's rate limits that all lanes of a workspace have in common, across processes. No lane of it posts
 * before `not_before`; until `crowded_until` they share a pace. `posts_left` and `updates_left` were counted at `posts_at` and `updates_at`.
 */

/**
 * If Slack throttles this many channels within this many seconds, the workspace as a whole is too fast. It then posts at a shared pace for
 * `forSeconds` after the wait. That time is short: Slack shows at once if it is still too much, and only trying shows that it no longer is.
 */
const throttled = { channels: 5, withinSeconds: 10, forSeconds: 10 };
/** A throttled workspace posts at most 600 messages a minute; Slack speaks of "several hundred". */
const postsShared = { perSecond: 10, atOnce: 10 };
/** Slack takes 50 edits a minute from a workspace. */
const updatesShared = { perSecond: 40 / 60, atOnce: 8 };

/** Records that Slack throttled a channel; if it throttles several at once, the whole workspace waits. `seconds`: for how long. */
export async function noteLimited(
  db: Db,
  { teamId, channelId }: Channel,
  seconds: number,
  now: Date,
): Promise<void> {
  const recently = sql`p.limited_at > ${now}::timestamptz - make_interval(secs => ${throttled.withinSeconds})`;
  const channels = sql`
    case when not (${recently}) or p.limited_at is null then array[${channelId}::text]
         when ${channelId} = any(p.limited_channels) then p.limited_channels
         else p.limited_channels || ${channelId}::text end`;
  await run(db)`
    insert into plancast.paces as p (team_id, limited_channels, limited_at)
    values (${teamId}, array[${channelId}::text], ${now})
    on conflict (team_id) do update set
      limited_channels = ${channels},
      limited_at = ${now},
      not_before = case when cardinality(${channels}) >= ${throttled.channels}
        then ${now}::timestamptz + make_interval(secs => ${seconds}) else p.not_before end,
      crowded_until = case when cardinality(${channels}) >= ${throttled.channels}
        then ${now}::timestamptz + make_interval(secs => ${seconds + throttled.forSeconds}) else p.crowded_until end
  `;
}

/** Makes the whole workspace wait. */
export const stopUntil = (db: Db, { teamId }: Workspace, until: Date): Promise<void> =>
  run(db)`
    insert into plancast.paces (team_id, not_before) values (${teamId}, ${until})
    on conflict (team_id) do update set not_before = excluded.not_before`;

/** Takes one post from the shared pace of a throttled workspace; returns false if none is left for now. */
export const takePost = (db: Db, { teamId }: Workspace, now: Date): Promise<boolean> =>
  take(db, 'posts', { teamId, now, ...postsShared });

/** Takes one edit from the allowance of a workspace; returns false if none is left for now. */
export const takeUpdate = (db: Db, { teamId }: Workspace, now: Date): Promise<boolean> =>
  take(db, 'updates', { teamId, now, ...updatesShared });

/** Uses up the allowance: Slack takes no more edits of the workspace for now. */
export const endUpdates = (db: Db, { teamId }: Workspace, now: Date): Promise<void> =>
  run(db)`
    update plancast.paces set updates_left = 0, updates_at = ${now} where team_id = ${teamId}`;

/** Takes one from an allowance, which refills with the time since it was last taken from. */
function take(
  db: Db,
  what: 'posts' | 'updates',
  { teamId, now, perSecond, atOnce }: { teamId: string; now: Date; perSecond: number; atOnce: number },
): Promise<boolean> {
  const [left, at] = [sql.ref(`${what}_left`), sql.ref(`${what}_at`)];
  const grown = sql`least(${atOnce}::float8, coalesce(p.${left}
    + extract(epoch from ${now}::timestamptz - p.${at}) * ${perSecond}::float8, ${atOnce}::float8))`;
  return wrote(db)`
    insert into plancast.paces as p (team_id, ${left}, ${at}) values (${teamId}, ${atOnce - 1}, ${now})
    on conflict (team_id) do update set ${left} = ${grown} - 1, ${at} = ${now} where ${grown} >= 1`;
}
