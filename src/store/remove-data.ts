import type { RawBuilder } from 'kysely';
import type { Channel, SlackPerson } from '../core/model/people.ts';
import { noFilters } from '../core/model/typed-settings.ts';
import { batch, column, type Db, inBatches, inChannel, json, run, sql } from './sql.ts';
import { sealedKeyPrefix } from './tables/keyv-records.ts';

// Removes what is stored about a channel or a person before the retention is over. Rows of events stay until then, since they record that a
// notification was accepted; names, paths and email addresses in them are removed. Pending events keep them until they are settled.

const isSettled = sql`state <> 'pending'`;

/** Removes details of what was posted or filtered before then, anywhere or in a workspace; not of dead letters, which can be replayed. */
export const ofEventsBefore = (db: Db, before: Date, teamId: string | null = null): Promise<void> =>
  forget(
    db,
    sql`state in ('posted', 'filtered') and coalesce(posted_at, received_at) < ${before}
      ${teamId === null ? sql`` : sql`and team_id = ${teamId}`}`,
  );

/** Removes details of a channel's events, the names and paths of its items, and the filters of the subscriptions that it had. */
export async function ofChannel(db: Db, channel: Pick<Channel, 'teamId' | 'channelId'>): Promise<void> {
  const here = inChannel(channel);
  await forget(db, sql`${isSettled} and ${here}`);
  for (const table of ['items', 'exclusions', 'requests']) await remove(db, table, here);
  await forgetSettings(db, here);
  await run(db)`update plancast.lanes set card = null where ${here}`;
}

/**
 * Removes details of what a person did at the service (found by their addresses in lower case), what they asked for in Slack, what was
 * posted in their direct message, and what is cached of their profile.
 */
export async function ofPerson(
  db: Db,
  { teamId, userId }: SlackPerson,
  emails: readonly string[],
): Promise<void> {
  const here = sql`team_id = ${teamId}`;
  const own = sql`${here} and owner_user_id = ${userId}`;
  const direct = await column(
    db,
  )<string>`select channel_id from plancast.direct_messages where ${here} and user_id = ${userId}`;
  for (const channelId of direct) await ofChannel(db, { teamId, channelId });
  await forget(db, sql`${isSettled} and ${here} and lower(notification ->> 'actorEmail') = any(${emails})`);
  await forgetSettings(db, own);
  await run(db)`update plancast.items set owner_user_id = null where ${own}`;
  await remove(db, 'exclusions', sql`${here} and kind = 'person' and key = any(${emails})`);
  const names = [userId, ...emails];
  // Buttons stay in Slack, and say that it is too late.
  const isNamedIn = (column: string) => sql`${here} and exists (
    select from unnest(${names}::text[]) n where strpos(lower(${sql.ref(column)}::text), lower(n)) > 0)`;
  await run(db)`update plancast.subscriptions set undo = null where ${isNamedIn('undo')}`;
  await run(db)`update plancast.subscriptions set ping = null where ${here} and ping ->> 'id' = ${userId}`;
  await remove(db, 'requests', sql`${here} and created_by = ${userId}`);
  for (const table of ['link_attempts', 'command_tries', 'direct_messages'])
    await remove(db, table, sql`${here} and user_id = ${userId}`);
  await remove(db, 'lanes', sql`${here} and channel_id = ${userId}`);
  // Plain records only cache what Slack said a moment ago. The keys of sealed ones name no person.
  await run(db)`
    delete from plancast.keyv k using unnest(${names}::text[]) as n
    where not starts_with(k.key, ${sealedKeyPrefix}) and strpos(k.key || k.value, ${teamId}) > 0
      and (strpos(lower(k.key), lower(n)) > 0 or strpos(lower(k.value), lower(n)) > 0)`;
}

const forget = (db: Db, which: RawBuilder<unknown>): Promise<void> =>
  inBatches(db)`
    update plancast.events set notification = null, item_keys = null, told = null where seq in (
      select seq from plancast.events where notification is not null and ${which} limit ${batch})`;

const remove = (db: Db, table: string, which: RawBuilder<unknown>): Promise<void> =>
  run(db)`delete from ${sql.table(`plancast.${table}`)} where ${which}`;

/** Removes filters and names of ended subscriptions. Their ids stay, to answer late notifications. */
const forgetSettings = (db: Db, which: RawBuilder<unknown>): Promise<void> =>
  run(db)`
    update plancast.subscriptions set filters = ${json(noFilters)}, resource_name = null, typed_name = null, ping = null, undo = null
    where ${which} and state = 'ended'`;
