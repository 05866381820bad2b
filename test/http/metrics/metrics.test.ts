import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { closeServer, listen } from '../../../src/http/front.ts';
import { type Backlog, makeMetrics } from '../../../src/http/metrics/metrics.ts';
import { makeMetricsServer } from '../../../src/http/metrics/metrics-server.ts';

const now = new Date('2026-11-20T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

/** Makes metrics with a fixed clock, and a backlog that counts how often it is read. */
function world(
  read: () => Promise<Backlog> = async () => ({
    waiting: 0,
    oldest: null,
    dead: 0,
    unsettled: 0,
    uncheckedSince: null,
  }),
) {
  const clock = { monotonic: 0, asked: 0 };
  const backlog = () => {
    clock.asked += 1;
    return read();
  };
  const metrics = makeMetrics({
    backlog,
    now: () => now,
    monotonic: () => clock.monotonic,
  });
  const lines = async () => (await metrics.text()).split('\n').filter((line) => !line.startsWith('#'));
  return { clock, metrics, lines };
}

const states = ['posted', 'posted', 'posted', 'filtered', 'filtered', 'dead', 'pending'] as const;
const mark = {
  at: now,
  events: states.map((state, seq) => ({ seq: String(seq), state, reason: null, postedAs: null })),
};

test('the metrics have exactly the documented names and types', async () => {
  const { metrics } = world();

  const described = (await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm);

  expect([...described].map(([, name, type]) => `${name} ${type}`)).toEqual([
    'plancast_notifications_total counter',
    'plancast_events_total counter',
    'plancast_posts_total counter',
    'plancast_token_refreshes_total counter',
    'plancast_accept_seconds histogram',
    'plancast_event_to_post_seconds histogram',
    'plancast_turns_given_back_total counter',
    'plancast_waiting_events gauge',
    'plancast_dead_letters gauge',
    'plancast_oldest_waiting_seconds gauge',
    'plancast_unsettled_remotes gauge',
    'plancast_links_unchecked_seconds gauge',
  ]);
});

test('each outcome is counted under its label, and one that has not occurred yet is 0', async () => {
  const { metrics, lines } = world();

  metrics.notification('stored', 0.02);
  metrics.notification('unknown token', 3);
  metrics.accepted(5);
  metrics.settled(mark, [secondsAgo(2)]);
  metrics.post('wait');
  metrics.refresh('failed');

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'plancast_notifications_total{result="stored"} 1',
      'plancast_notifications_total{result="unknown token"} 1',
      'plancast_notifications_total{result="busy"} 0',
      'plancast_events_total{state="pending"} 5',
      'plancast_events_total{state="posted"} 3',
      'plancast_events_total{state="dead"} 1',
      'plancast_events_total{state="filtered"} 2',
      'plancast_posts_total{outcome="wait"} 1',
      'plancast_posts_total{outcome="channel closed"} 0',
      'plancast_token_refreshes_total{result="failed"} 1',
      'plancast_accept_seconds_bucket{le="0.015"} 0',
      'plancast_accept_seconds_bucket{le="0.025"} 1',
      'plancast_accept_seconds_count 1',
      'plancast_event_to_post_seconds_sum 2',
      'plancast_event_to_post_seconds_count 1',
    ]),
  );
});

test('metrics of the process itself are available on request: memory, event loop, version', async () => {
  const metrics = makeMetrics({
    backlog: async () => ({ waiting: 0, oldest: null, dead: 0, unsettled: 0, uncheckedSince: null }),
    now: () => now,
    monotonic: () => 0,
    ofProcess: true,
  });
  const text = await metrics.text();

  expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+/m);
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(text).toMatch(/^nodejs_version_info\{version="v\d/m);
});

test('two bots in one process do not share their metrics', async () => {
  const [one, other] = [world(), world()];

  one.metrics.post('posted');

  expect(await other.lines()).toContain('plancast_posts_total{outcome="posted"} 0');
});

test('the backlog is read once in five seconds, even if many scrape it', async () => {
  const { clock, lines } = world(async () => ({
    waiting: 7,
    oldest: secondsAgo(90),
    dead: 3,
    unsettled: 0,
    uncheckedSince: null,
  }));

  const [first] = await Promise.all([lines(), lines(), lines()]);
  expect(first).toContain('plancast_waiting_events 7');
  expect(first).toContain('plancast_oldest_waiting_seconds 90');
  expect(first).toContain('plancast_dead_letters 3');
  clock.monotonic = 4_999;
  await lines();
  expect(clock.asked).toBe(1);
  clock.monotonic = 5_000;
  await lines();
  expect(clock.asked).toBe(2);
});

test('while the database does not answer, the other metrics are still served', async () => {
  const refusing = world(() => Promise.reject(new Error('no database')));
  const silent = world(() => new Promise(() => undefined));

  for (const { metrics, lines } of [refusing, silent]) {
    metrics.post('posted');
    const shown = await lines();
    expect(shown).toContain('plancast_posts_total{outcome="posted"} 1');
    expect(shown).toContain('plancast_waiting_events Nan');
    expect(shown).toContain('plancast_oldest_waiting_seconds Nan');
  }
});

const servers: ReturnType<typeof makeMetricsServer>[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => closeServer(server, 0))));

async function serve(metrics: ReturnType<typeof makeMetrics> | null): Promise<string> {
  const server = makeMetricsServer(() => metrics);
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, { port: 0, host: '127.0.0.1' })}`;
}

test('Prometheus reads them only at /metrics, and nothing can be written there', async () => {
  const address = await serve(world().metrics);

  const found = await fetch(`${address}/metrics?x=1`);
  expect(found.status).toBe(200);
  expect(found.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await found.text()).toContain('plancast_waiting_events 0');
  expect((await fetch(`${address}/`)).status).toBe(404);
  expect((await fetch(`${address}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
  const head = await fetch(`${address}/metrics`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('an invalid URL is answered too', async () => {
  const address = await serve(world().metrics);

  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(address, { path: '//[', method: 'GET' }, (response) => resolve(text(response)));
    sent.on('error', reject).end();
  });

  expect(answer).toBe('Nothing here.\n');
});

test('there are no metrics while the bot starts', async () => {
  const address = await serve(null);

  expect((await fetch(`${address}/metrics`)).status).toBe(503);
});
