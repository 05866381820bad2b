import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { earlier, hourMs, later } from '../../src/lib/durations.ts';
import * as links from '../../src/store/tables/links.ts';
import * as obstacles from '../../src/store/tables/obstacles.ts';
import * as remotes from '../../src/store/tables/remotes.ts';
import { freshDatabase } from '../support/postgres.ts';

const count = Number(process.env.LINKS ?? 1_000_000);

/** Fills a database with links that have a subscription each, of which one in twenty has ended, and a hundred are not as they should be. */
async function seed(url: string): Promise<void> {
  // Without the bot's limit for a statement.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of [
    `insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at, check_at)
     select 'T' || i % 10000, 'T' || i % 10000, 'U' || i, 'active', now(), now(), now() - interval '1 minute'
     from generate_series(1, ${count}) i`,
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
       state, created_at, changed_at, ended_at)
     select 'T' || i % 10000, 'C' || i, 'U' || i, 'project', '412-873-550', true, '{}', '{}', false,
       case when i % 20 = 0 then 'ended' else 'active' end, now(), now() - interval '1 day', case when i % 20 = 0 then now() end
     from generate_series(1, ${count}) i`,
    `insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, asked_at,
       made_at, deleted_at)
     select s.id, s.team_id, l.id, sha256(s.id::text::bytea), 'https://bot', true, 1, now(), now(),
       case when s.state = 'ended' and s.channel_id not like 'C%0000' then now() end
     from plancast.subscriptions s join plancast.links l on l.user_id = s.owner_user_id`,
    `insert into plancast.lanes (team_id, channel_id) select team_id, channel_id from plancast.subscriptions`,
    'vacuum analyze',
  ])
    await client.query(statement);
  await client.end();
}

test('with a million links, each statement of the rounds that settle and check them ends long before it is given up', async () => {
  const database = await freshDatabase('million links');
  onTestFinished(database.drop);
  await seed(database.url);
  const { db } = database.connect();
  const now = new Date();
  const took: Record<string, number> = {};
  const timed = async <T>(name: string, statement: () => Promise<T>): Promise<T> => {
    await statement();
    const began = performance.now();
    const result = await statement();
    took[name] = Math.round(performance.now() - began);
    return result;
  };

  const unwanted = await timed('to delete', () => remotes.withUnwanted(db, { now, limit: 200 }));
  const lost = await timed('to look for', () => remotes.linksToSearch(db, now));
  const unsettled = await timed('unsettled', () => remotes.countUnsettled(db));
  const since = await timed('overdue', () => links.uncheckedSince(db, now));
  const times = { now, since: earlier(now, hourMs) };
  const differing = await timed('differing this hour', () => obstacles.differing(db, times));
  const { channels, last } = await timed('a page of all', () => obstacles.differingAfter(db, null, 10_000));
  const began = performance.now();
  for (let after = last; after !== null; ) after = (await obstacles.differingAfter(db, after, 10_000)).last;
  took['all pages'] = Math.round(performance.now() - began);
  const due = await timed('due', () => links.claimDue(db, 8, { now, until: later(now, hourMs) }));

  process.stdout.write(`${count} links, milliseconds a statement: ${JSON.stringify(took)}\n`);
  const leftOver = Math.floor(count / 10_000);
  expect(unwanted).toHaveLength(Math.min(200, leftOver));
  expect({ lost, unsettled, due: due.length }).toEqual({ lost: [], unsettled: leftOver, due: 8 });
  expect(since).not.toBeNull();
  expect([...differing, ...channels]).toEqual([]);
}, 1_200_000);
