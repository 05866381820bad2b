import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { publicUrl } from './keys.ts';
import type { Postgres } from './postgres.ts';
import { channelCount, subscriptionIdSql } from './seed.ts';

/** The size of a store. */
export type Size = { readonly subscriptions: number; readonly events: number };

/** Bytes per row with its indexes, rounded up from a fill of this kind, and what Postgres may write besides (WAL, sorting for `vacuum`). */
const bytes = { event: 1_000, subscription: 1_200, besides: 4e9 };
const eventsAtOnce = 200_000;
const sayEvery = 1_000_000;

/** Returns the size that the disk has room for, halved until it fits, and the free space in words. */
export async function sizeThatFits(
  wanted: Size,
  { folder }: Pick<Postgres, 'folder'>,
): Promise<{ size: Size; about: string }> {
  const { bavail, bsize } = await statfs(folder ?? tmpdir());
  const free = bavail * bsize;
  const size = fitting(wanted, free);
  const room = `${Math.round(free / 1e9)} GB of disk free`;
  const contents = `${size.subscriptions.toLocaleString('en-US')} subscriptions and ${size.events.toLocaleString('en-US')} events`;
  const why =
    size === wanted
      ? ''
      : `, fewer than requested (${wanted.events.toLocaleString('en-US')} events) because of the disk`;
  return { size, about: `The big store: ${contents}${why}, ${room}.` };
}

/** Returns the wanted size if it fits into this many bytes, else the first of its repeated halves that does. */
export function fitting(wanted: Size, free: number): Size {
  const needs = ({ events, subscriptions }: Size) =>
    events * bytes.event + subscriptions * bytes.subscription + bytes.besides;
  let size = wanted;
  while (needs(size) > free && size.events > 1_000) {
    size = { events: Math.floor(size.events / 2), subscriptions: Math.floor(size.subscriptions / 2) };
  }
  return size;
}

/**
 * Adds what a bot of many workspaces has after a month: subscriptions in thousands of channels, each with a random callback token, and
 * posted events of all of them. Details older than a week are gone, as in a real store.
 * @param say called with the progress
 */
export async function fill(url: string, size: Size, say: (progress: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // No caller depends on these rows. The bots' own sessions stay durable.
    await client.query('set synchronous_commit = off');
    await addSubscriptions(client, size.subscriptions);
    for (let from = 0; from < size.events; from += eventsAtOnce) {
      await addEvents(client, size, { from, to: Math.min(size.events, from + eventsAtOnce) });
      const done = from + eventsAtOnce;
      if (done % sayEvery === 0) say(`${done.toLocaleString('en-US')} events stored`);
    }
    say('vacuum analyze');
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/**
 * A thousand per workspace, ten per channel, each channel with its lane. Their owners' links are frozen, so that the service is not queried
 * about them.
 */
async function addSubscriptions(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into plancast.links (team_id, grid_id, user_id, state, frozen_at, linked_at, refreshed_at)
     select 'T0BIG' || n, 'T0BIG' || n, 'U0BIG' || n, 'frozen', now(), now(), now() from generate_series(0, $1::int / 1000) as n`,
    [count],
  );
  await client.query(
    `insert into plancast.subscriptions (id, team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery,
       threads, state, resource_name, last_event_at, created_at, changed_at)
     select ${subscriptionIdSql('n')}, 'T0BIG' || n / 1000, 'C0BIG' || n / 10, 'U0BIG' || n / 1000, 'project', to_char(n, 'FM000"-"000"-"000'),
       true, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}', false, 'active',
       'Project ' || n, now(), now() - interval '30 days', now() - interval '30 days'
     from generate_series($2::int, $1::int - 1) as n`,
    [count, channelCount],
  );
  await client.query(
    `insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, asked_at, made_at)
     select ${subscriptionIdSql('n')}, 'T0BIG' || n / 1000, (select id from plancast.links where user_id = 'U0BIG' || n / 1000),
       sha256(gen_random_uuid()::text::bytea), $3, true, 1000000 + n, now() - interval '30 days', now() - interval '30 days'
     from generate_series($2::int, $1::int - 1) as n`,
    [count, channelCount, publicUrl],
  );
  await client.query(
    `insert into plancast.lanes (team_id, channel_id, fence)
     select distinct team_id, channel_id, 0 from plancast.subscriptions where team_id like 'T0BIG%'`,
  );
  await client.query(
    `insert into plancast.channels (team_id, channel_id, is_shared, looked_at)
     select team_id, channel_id, false, now() from plancast.lanes where team_id like 'T0BIG%'`,
  );
}

/**
 * In order of arrival, each for the next subscription in a permutation of all of them: 7919 is a prime that does not divide any number of
 * subscriptions used here.
 */
async function addEvents(
  client: pg.Client,
  { subscriptions, events }: Size,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await client.query(
    `insert into plancast.events (notification_id, subscription_id, service_subscription_id, team_id, channel_id, state, fingerprint,
       notification, message_ts, received_at, posted_at)
     select gen_random_uuid()::text, s.id, s.record, s.team_id, s.channel_id, 'posted', md5(g::text),
       case when at > now() - interval '6 days 12 hours' then jsonb_build_object(
         'id', g::text, 'serviceSubscriptionId', s.record::text, 'source', '2',
         'resource', '/projects/' || s.parent_id || '/items/' || g, 'primeId', null, 'projectId', s.parent_id, 'sessionId', null,
         'itemId', g::text, 'happenedAt', at, 'resourceType', 'ProjectItems', 'eventType', 'Update',
         'actorEmail', 'person' || g % 20 || '@example.com', 'idPath', '/root/level-1/' || g, 'path', '/Plans/Level 1/plan-' || g || '.pdf',
         'itemType', 'file', 'name', 'plan-' || g || '.pdf') end,
       to_char(extract(epoch from at), 'FM9999999999.000000'), at, at + interval '120 ms'
     from (
       select g, now() - interval '29 days' + g * (interval '29 days' / $2::float8) as at
       from generate_series($3::bigint, $4::bigint - 1) as g
     ) as series
     join (select f.*, r.service_id as record from plancast.subscriptions f join plancast.remotes r on r.subscription_id = f.id) s
       on s.id = ${subscriptionIdSql('(g * 7919 % $1::bigint)')}
     order by g`,
    [subscriptions, events, from, to],
  );
}
