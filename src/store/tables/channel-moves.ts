import type { LoggedSubscription } from '../../core/model/log-fields.ts';
import type { Channel } from '../../core/model/people.ts';
import { all, type Db, inChannel, run, sql } from '../sql.ts';
import { numberingLock } from './accept-events.ts';
import * as announcements from './announcements.ts';
import * as events from './events.ts';

/** Tables with one row at most for each key in a channel. An event may have named the new id already, and made one in `channels`. */
const onceInChannel: readonly (readonly [table: string, key: readonly string[]])[] = [
  ['items', ['item_key']],
  ['lanes', []],
  ['channels', []],
  ['exclusions', ['kind', 'key']],
];

/**
 * Moves a channel's rows to another id: Slack changes the id of a channel when it is shared with another organization. Everything is moved
 * in one transaction, then the events that arrived meanwhile. Rows that already exist under the new id stay.
 * @returns the subscriptions that ended because the same is followed under the new id
 */
export async function move(db: Db, channel: Channel, to: string): Promise<LoggedSubscription[]> {
  const here = inChannel(channel);
  const ended = await db.transaction().execute(async (trx) => {
    await run(trx)`
      update plancast.subscriptions s set channel_id = ${to}
      where ${here} and (state = 'ended' or not exists (
        select from plancast.subscriptions o
        where o.team_id = s.team_id and o.channel_id = ${to} and o.state <> 'ended' and o.kind = s.kind
          and o.parent_id = s.parent_id and o.item_id is not distinct from s.item_id))`;
    // The same is followed under the new id already, and nothing is posted under the old one any more.
    const twice = await all(trx)<LoggedSubscription>`
      update plancast.subscriptions
      set state = 'ended', reason = 'removed', ended_at = now(), changed_at = now(), channel_id = ${to}
      where ${here} and state <> 'ended' returning id, enterprise_id, team_id, channel_id, owner_user_id`;
    await announcements.move(trx, channel, to);
    for (const [table, key] of onceInChannel) {
      const rows = sql.table(`plancast.${table}`);
      const isSame = key.map((column) => sql`and there.${sql.ref(column)} = moved.${sql.ref(column)}`);
      await run(trx)`
        update ${rows} moved set channel_id = ${to}
        where ${here} and not exists (
          select from ${rows} there
          where there.team_id = moved.team_id and there.channel_id = ${to} ${sql.join(isSame, sql` `)})
      `;
    }
    await events.move(trx, channel, to);
    for (const table of ['link_attempts', 'requests', 'audit']) {
      await run(trx)`
        update ${sql.table(`plancast.${table}`)} set channel_id = ${to}
        where ${here}`;
    }
    return twice;
  });
  // Events may be arriving under the old id right now: wait for them and move them too.
  await db.transaction().execute(async (trx) => {
    await run(trx)`select pg_advisory_xact_lock(${numberingLock})`;
    await events.move(trx, channel, to);
  });
  return ended;
}
