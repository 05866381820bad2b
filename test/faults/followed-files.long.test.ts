import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { requestText } from '../../bench/load/notification.ts';
import { runOpenLoop } from '../../bench/load/open-loop.ts';
import { percentile } from '../../bench/report/statistics.ts';
import { cpuSeconds, memoryOf } from '../../bench/stage/process-use.ts';
import { setStage } from '../support/stage.ts';

/*
 * Each person who follows a file has a comprehensive subscription to its project, so the service sends every change of the project to each of
 * them. `SECONDS` is how long it is measured.
 */
const size = { files: 1_000, changesASecond: 2, seconds: Number(process.env.SECONDS ?? 60) };
const rate = size.files * size.changesASecond;

test(`${size.files} people follow a file each of one project, in which ${size.changesASecond} files change a second: all that is accepted is stored once, and posted to who follows the file that changed`, async () => {
  const stage = await setStage({ name: 'followed files', bot: false, rateLimit: 'record' });
  onTestFinished(() => stage.close());
  const { slack, teamId, database } = stage;
  const child = await stage.startChild();
  const { bot } = await stage.addCore({ env: { PUBLIC_URL: child.publicUrl } });
  const { pool } = database.connect();
  const tokens = Array.from({ length: size.files }, () => bot.tokens.make());
  const channels = tokens.map((_, at) => slack.addChannel({ name: `file-${at}`, members: [stage.dana] }).id);
  await pool.query(
    `with added as (
       insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, item_id, comprehensive, filters, delivery, threads,
         state, created_at, changed_at)
       select $1, channel, $2, 'file', '412-873-550', 'item-' || (n - 1), true, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}',
         false, 'active', now(), now()
       from unnest($3::text[]) with ordinality as t(channel, n) returning id, team_id, channel_id),
     link as (insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at, check_at)
       values ($1, $1, $2, 'active', now(), now(), now() + interval '1 day') returning id)
     insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, asked_at, made_at)
     select added.id, added.team_id, link.id, decode(t.hash, 'hex'), $4, true, t.n, now(), now()
     from unnest($3::text[], $5::text[]) with ordinality as t(channel, hash, n) join added on added.channel_id = t.channel cross join link`,
    [
      teamId,
      stage.dana.id,
      channels,
      child.publicUrl,
      tokens.map((token) => bot.tokens.hash(token).toString('hex')),
    ],
  );
  const before = await used();

  const { statuses, latencies } = await runOpenLoop({
    port: Number(new URL(child.publicUrl).port),
    rate,
    seconds: size.seconds,
    request: (number) => {
      const change = Math.floor(number / size.files);
      return requestText(tokens[number % size.files] ?? '', bodyOf(change, number));
    },
  });
  const sentBy = await used();
  const waiting = await counts();
  const ended = performance.now();
  await expect.poll(async () => (await counts()).pending, { timeout: 300_000, interval: 500 }).toBe(0);
  const settledAfter = (performance.now() - ended) / 1_000;
  await sleep(2_000);

  const all = await counts();
  const bytes = (await used()).bytes - before.bytes;
  const changes = size.changesASecond * size.seconds;
  const answered = [...latencies].filter((latency) => !Number.isNaN(latency));
  const report = {
    seconds: size.seconds,
    statuses,
    acceptedP50: Math.round(percentile(answered, 0.5)),
    acceptedP99: Math.round(percentile(answered, 0.99)),
    pendingAtTheEnd: waiting.pending,
    settledAfterSeconds: Math.round(settledAfter * 10) / 10,
    rows: all.rows,
    posted: all.posted,
    bytesARow: Math.round(bytes / all.rows),
    megabytesAMinute: Math.round(((bytes / size.seconds) * 60) / 1e6),
    cores: Math.round(((sentBy.cpu - before.cpu) / size.seconds) * 100) / 100,
    peakMegabytes: Math.round((await memoryOf(child.pid)).peak),
  };
  process.stderr.write(`${JSON.stringify(report)}\n`);
  // What was not answered with 200, the service sends again.
  const sent = rate * size.seconds;
  expect(all).toEqual({ rows: expect.any(Number), posted: expect.any(Number), pending: 0, dead: 0 });
  expect(all.rows).toBeGreaterThanOrEqual(statuses[200] ?? 0);
  expect(all.posted).toBeGreaterThanOrEqual(changes - (sent - (statuses[200] ?? 0)));
  expect(all.posted).toBeLessThanOrEqual(changes);

  async function used() {
    const { rows } = await pool.query<{ bytes: string }>(
      `select pg_total_relation_size('plancast.events') + pg_total_relation_size('plancast.items') as bytes`,
    );
    return { bytes: Number(rows[0]?.bytes), cpu: await cpuSeconds(child.pid) };
  }

  async function counts() {
    const { rows } = await pool.query<{ rows: number; posted: number; pending: number; dead: number }>(
      `select count(*)::int as rows, count(*) filter (where state = 'posted')::int as posted,
         count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'dead')::int as dead from plancast.events`,
    );
    return rows[0] ?? { rows: 0, posted: 0, pending: 0, dead: 0 };
  }
}, 1_200_000);

/** What the service sends to each about one change: the files change in turn. */
function bodyOf(change: number, number: number): string {
  const item = change % size.files;
  return JSON.stringify({
    Id: `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`,
    SubscriptionId: (number % size.files) + 1,
    Source: 2,
    Resource: '/Primes/4021/Projects/412-873-550/',
    Timestamp: new Date().toISOString(),
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      User: 'sam@example.com',
      EventType: 'Update',
      IdPath: `root/plans/item-${item}`,
      Path: `Root/Plans/file-${item}.pdf`,
      ItemType: 'File',
      Name: `file-${item}.pdf`,
    },
  });
}
