import { type Kysely, sql } from 'kysely';
import type { Channel, Workspace } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

/**
 * If Slack throttles this many channels within this many seconds, the workspace as a whole is too fast. It then posts at a shared pace for
 * `forSeconds` after the wait. That time is short: Slack shows at once if it is still too much, and only trying shows that it no longer is.
 */
const throttled = { channels: 5, withinSeconds: 10, forSeconds: 10 };
/** A throttled workspace posts at most 600 messages a minute; Slack speaks of "several hundred". */
const postsShared = { perSecond: 10, atOnce: 10 };
/** Slack takes 50 edits a minute from a workspace. */
const updatesShared = { perSecond: 40 / 60, atOnce: 8 };

/** The table `paces`: the share of Slack's rate limits that all lanes of a workspace have in common, across processes. */
export function makePaces({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Records that Slack throttled a channel; if it throttles several at once, the whole workspace waits. `seconds`: for how long. */
    async noteLimited(lane: Channel, seconds: number, now: Date): Promise<void> {
      const recently = sql`p.limited_at > ${now}::timestamptz - make_interval(secs => ${throttled.withinSeconds})`;
      const channels = sql`
        case when not (${recently}) or p.limited_at is null then array[${lane.channelId}::text]
             when ${lane.channelId} = any(p.limited_channels) then p.limited_channels
             else p.limited_channels || ${lane.channelId}::text end`;
      await sql`
        insert into plancast.paces as p (team_id, limited_channels, limited_at)
        values (${lane.teamId}, array[${lane.channelId}::text], ${now})
        on conflict (team_id) do update set
          limited_channels = ${channels},
          limited_at = ${now},
          not_before = case when cardinality(${channels}) >= ${throttled.channels}
            then ${now}::timestamptz + make_interval(secs => ${seconds}) else p.not_before end,
          crowded_until = case when cardinality(${channels}) >= ${throttled.channels}
            then ${now}::timestamptz + make_interval(secs => ${seconds + throttled.forSeconds}) else p.crowded_until end
      `.execute(db);
    },

    /** Makes the whole workspace wait. */
    async stopUntil({ teamId }: Workspace, until: Date): Promise<void> {
      await sql`
        insert into plancast.paces (team_id, not_before) values (${teamId}, ${until})
        on conflict (team_id) do update set not_before = excluded.not_before`.execute(db);
    },

    /** Takes one post from the shared pace of a throttled workspace; returns false if none is left for now. */
    takePost: ({ teamId }: Workspace, now: Date) => take('posts', teamId, now, postsShared),

    /** Takes one edit from the allowance of a workspace; returns false if none is left for now. */
    takeUpdate: ({ teamId }: Workspace, now: Date) => take('updates', teamId, now, updatesShared),

    /** Uses up the allowance: Slack takes no more edits of the workspace for now. */
    async endUpdates({ teamId }: Workspace, now: Date): Promise<void> {
      await sql`
        update plancast.paces set updates_left = 0, updates_at = ${now} where team_id = ${teamId}
      `.execute(db);
    },
  };

  /** Takes one from an allowance, which refills with the time since it was last taken from. */
  async function take(
    what: 'posts' | 'updates',
    teamId: string,
    now: Date,
    { perSecond, atOnce }: { perSecond: number; atOnce: number },
  ): Promise<boolean> {
    const left = sql.ref(`${what}_left`);
    const at = sql.ref(`${what}_at`);
    const grown = sql`least(${atOnce}::float8, coalesce(p.${left}
      + extract(epoch from ${now}::timestamptz - p.${at}) * ${perSecond}::float8, ${atOnce}::float8))`;
    const { rows } = await sql`
      insert into plancast.paces as p (team_id, ${left}, ${at}) values (${teamId}, ${atOnce - 1}, ${now})
      on conflict (team_id) do update set ${left} = ${grown} - 1, ${at} = ${now} where ${grown} >= 1
      returning 1`.execute(db);
    return rows.length > 0;
  }
}

export type Paces = ReturnType<typeof makePaces>;

type ShimPaces = ReturnType<typeof makePaces>;
/** For core, which is handed the database. */
export const noteLimited = (db: Kysely<Database>, ...rest: Parameters<ShimPaces['noteLimited']>) =>
  makePaces({ db }).noteLimited(...rest);
/** For core, which is handed the database. */
export const stopUntil = (db: Kysely<Database>, ...rest: Parameters<ShimPaces['stopUntil']>) =>
  makePaces({ db }).stopUntil(...rest);
/** For core, which is handed the database. */
export const takePost = (db: Kysely<Database>, ...rest: Parameters<ShimPaces['takePost']>) =>
  makePaces({ db }).takePost(...rest);
/** For core, which is handed the database. */
export const takeUpdate = (db: Kysely<Database>, ...rest: Parameters<ShimPaces['takeUpdate']>) =>
  makePaces({ db }).takeUpdate(...rest);
/** For core, which is handed the database. */
export const endUpdates = (db: Kysely<Database>, ...rest: Parameters<ShimPaces['endUpdates']>) =>
  makePaces({ db }).endUpdates(...rest);
