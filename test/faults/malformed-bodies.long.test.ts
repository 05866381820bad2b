import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseNotifications } from '../../src/service/notifications.ts';
import { deliver, lookFromOutside, notificationFor, type Upstream } from '../contract/outside.ts';
import { type FaultWorld, isAlive, startFaultWorld, wordsOf } from './endure.ts';
import { type Malformed, makeChance, nextMalformed } from './malformed-bodies.ts';

/** How many bodies are sent in total, how many at once, and how many to warm up. */
const size = { bodies: 100_000, atOnce: 64, warm: 4_000 };
const seed = 20_261_121;

let world: FaultWorld;
let up: Upstream;
beforeAll(async () => {
  world = await startFaultWorld({ name: 'malformed bodies' });
  const outside = lookFromOutside(world.stage);
  // Valid bodies wait for their digest, so Slack does not affect the figures.
  ({ up } = await outside.following('/subscribe project 412-873-550 digest daily 04:00'));
  await outside.close();
});
afterAll(() => world.close());

test(`${size.bodies} malformed bodies: refused or accepted, never a 5xx, never a crash, never slow`, async () => {
  const { child } = world;
  const agent = new Agent({ connections: size.atOnce, headersTimeout: 20_000 });
  const chance = makeChance(seed);
  const live = new URL(up.uri);
  const [stored, refused]: [number[], number[]] = [[], []];
  const statuses: Record<string, number> = {};
  const wrong: string[] = [];
  let sent = 0;

  async function sendOne(): Promise<void> {
    const malformed = nextMalformed(chance);
    const token = chance.below(20) === 0 ? junkToken(chance.pick) : null;
    const path = token === null ? live.pathname : `/notifications/${token}`;
    const began = performance.now();
    const status = await ask(agent, `${live.origin}${path}`, malformed);
    const ms = performance.now() - began;
    (status === '200' ? stored : refused).push(ms);
    const where = token === null ? 'live' : 'junk';
    statuses[`${where} ${status}`] = (statuses[`${where} ${status}`] ?? 0) + 1;
    const problem = problemWith(status, malformed, token === null ? malformed.allowed : [404, 429, 413, 415]);
    if (problem !== null) wrong.push(problem);
  }

  async function work(until: number): Promise<void> {
    while (sent < until) {
      sent += 1;
      await sendOne();
    }
  }

  const everybody = (until: number) => Promise.all(Array.from({ length: size.atOnce }, () => work(until)));
  await everybody(size.warm);
  const rss = [await rssOf(child.pid)];
  const tookMs: number[] = [];
  for (let part = 1; part <= 4; part += 1) {
    const began = performance.now();
    await everybody((size.bodies * part) / 4);
    tookMs.push(Math.round(performance.now() - began));
    rss.push(await rssOf(child.pid));
  }
  await agent.destroy();
  const figures = {
    stored: percentiles(stored),
    refused: percentiles(refused),
    rssMb: rss,
    // The heap reaches its size during the first half. That size depends on how busy the machine is and is ignored.
    grewMb: (rss.at(-1) ?? 0) - (rss[2] ?? 0),
    tookMs,
  };
  process.stderr.write(
    `malformed bodies: ${JSON.stringify({ statuses, ...figures, logged: wordsOf(child.output()) })}\n`,
  );
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(isAlive(child.pid)).toBe(true);
  expect(Math.max(figures.refused.p99, figures.stored.p99)).toBeLessThan(1_000);
  expect(figures.grewMb).toBeLessThan(50);
  const answer = await deliver(up.uri, notificationFor(up));
  expect([answer.status, await answer.text()]).toEqual([200, '{}']);
}, 480_000);

test('parsing malformed bodies changes no other object', () => {
  const chance = makeChance(seed + 1);
  for (let count = 0; count < 20_000; count += 1) {
    const { body } = nextMalformed(chance);
    let json: unknown;
    try {
      json = JSON.parse(body.toString());
    } catch {
      continue;
    }
    parseNotifications(json);
  }
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

function problemWith(
  status: string,
  { what, body, headers }: Malformed,
  allowed: readonly number[],
): string | null {
  // If the answer comes before the body is fully sent, the sender may see only a closed connection.
  const mayBeCut = body.length > 200_000 || 'content-encoding' in headers;
  if (allowed.includes(Number(status)) || (status === 'closed' && mayBeCut)) return null;
  return `${what}: ${status}, not ${allowed}: ${body.toString('latin1').slice(0, 200)}`;
}

function percentiles(took: number[]): { p50: number; p99: number; most: number } {
  const sorted = took.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: Math.round(sorted.at(-1) ?? 0) };
}

function junkToken(pick: <T>(from: readonly T[]) => T): string {
  const own = up.uri.slice(up.uri.lastIndexOf('/') + 1);
  return pick([
    randomBytes(24).toString('base64url'),
    `${own}A`,
    own.slice(1),
    own.toLowerCase(),
    '%00',
    '..%2f..%2fhealthz',
    'x'.repeat(3_000),
    `${own.slice(0, -2)}%C3%A9`,
  ]);
}

/** Returns the status, or `closed` if the connection ended without one. */
async function ask(dispatcher: Agent, url: string, malformed: Malformed): Promise<string> {
  const { body, headers, chunked } = malformed;
  try {
    const answer = await request(url, {
      method: 'POST',
      headers,
      body: chunked
        ? Readable.from([body.subarray(0, 10), body.subarray(10)].filter(({ length }) => length > 0))
        : body,
      dispatcher,
    });
    await answer.body.dump();
    return String(answer.statusCode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return /UND_ERR_SOCKET|ECONNRESET|EPIPE/.test(code) ? 'closed' : code;
  }
}

/** Returns the resident memory of a process, in MB. */
async function rssOf(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s*(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
