import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { reseal } from '../../../src/store/sealing/reseal.ts';
import { makeSealing } from '../../../src/store/sealing/sealing.ts';
import { testTokenKeys } from '../../support/bot.ts';
import { linkDirectly } from '../../support/link-directly.ts';
import { type Linking, minute, setUpLinking } from '../../support/linking.ts';
import { silentLog } from '../../support/log.ts';
import { type Racers, raceRefreshes, startRacers } from './race-refreshes.ts';

let world: Linking;
let linkId: string;
let racers: Racers;

beforeAll(async () => {
  world = await setUpLinking({ name: 'refresh race' });
});
beforeEach(async () => {
  await world.reset();
  linkId = await linkDirectly(world.core, world.dana, 'dana@example.com');
});
afterEach(() => racers.close());
afterAll(() => world.stage.close());

const start = (count: number, timeoutMs?: number) =>
  startRacers(count, { settings: world.stage.settingsOf({}), timeoutMs });

const asked = () => world.relinkRequests(world.dana);

const forward = (milliseconds: number): Date => {
  world.advance(milliseconds);
  return world.core.clock.now();
};

test('two processes with 20 callers each ask for the same token when it is due: one refresh per round, and all get it', async () => {
  racers = await start(2);
  world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 50 });
  const result = await raceRefreshes(racers, {
    service: world.service,
    linkId,
    callers: 20,
    rounds: 5,
    forward,
  });

  expect(result.rounds.map(({ refreshes }) => refreshes)).toEqual([1, 1, 1, 1, 1]);
  const answers = result.rounds.map((round) => round.answers);
  expect(answers.every((round) => round.length === 1)).toBe(true);
  expect(new Set(answers.flat()).size).toBe(5);
  expect(answers.flat().filter((answer) => answer === 'relink' || answer.startsWith('failed'))).toEqual([]);
  expect(result.reuses).toBe(0);
  expect(await asked()).toEqual([]);
});

test('the holder of the lock is killed before it has asked the service: the others get their token', async () => {
  racers = await start(2);
  const [holder, other] = racers.processes;
  const at = forward(56 * minute);
  const locked = holder?.locked();
  const lost = holder?.ask({ linkId, callers: 5, at, hangs: true }).catch(() => 'gone');
  await locked;
  const waiting = other?.ask({ linkId, callers: 5, at });
  await holder?.kill();
  expect(await lost).toBe('gone');
  const answers = new Set(await waiting);
  expect(answers.size).toBe(1);
  expect([...answers][0]).not.toMatch(/relink|failed/);
  expect(await asked()).toEqual([]);
  expect(world.service.log.of('reuse')).toEqual([]);
});

test('the holder is killed after the service has refreshed, before the commit: the person is asked once', async () => {
  racers = await start(2);
  const [holder, other] = racers.processes;
  const at = forward(61 * minute);
  const fault = world.service.faults.set({
    endpoint: 'token:refresh_token',
    kind: 'delay',
    ms: 3_000,
    committed: true,
    times: 1,
  });
  const lost = holder?.ask({ linkId, callers: 5, at }).catch(() => 'gone');
  await expect.poll(() => fault.hits()).toBe(1);
  const waiting = other?.ask({ linkId, callers: 5, at });
  await holder?.kill();
  expect(await lost).toBe('gone');
  expect(new Set(await waiting)).toEqual(new Set(['relink']));
  expect(await asked()).toHaveLength(1);
  expect(await world.links.of(world.dana)).toMatchObject({ state: 'relink' });
  expect(await world.stored()).toEqual({ links: 1, tokens: 0 });
});

test('the service is slower than the timeout: all callers get the error, and the link stays', async () => {
  racers = await start(2, 300);
  const at = forward(61 * minute);
  // None of these requests takes effect at the service before the callers have given up.
  const fault = world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'reset' });
  const slow = world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 400 });
  const answers = await Promise.all(racers.processes.map(({ ask }) => ask({ linkId, callers: 5, at })));
  expect(answers.flat()).toHaveLength(10);
  expect(answers.flat().every((answer) => answer.startsWith('failed: '))).toBe(true);
  expect(answers.flat().join()).not.toContain(world.service.secrets().at(-1));
  expect(await asked()).toEqual([]);

  fault.remove();
  slow.remove();
  const again = await Promise.all(racers.processes.map(({ ask }) => ask({ linkId, callers: 5, at })));
  expect(new Set(again.flat()).size).toBe(1);
  expect(again.flat()[0]).not.toMatch(/relink|failed/);
});

test('everything is resealed under another key while tokens are refreshed: no token is lost', async () => {
  racers = await start(0);
  const newKey = { id: 'k2', secret: Buffer.alloc(32, 2) };
  const [id = '', secret = ''] = testTokenKeys.split(':');
  const both = makeSealing([newKey, { id, secret: Buffer.from(secret, 'base64') }]);
  const { pool } = world.stage.database.connect();
  // It already has both keys and still seals with the old one, as it does during a rolling restart.
  const { linking } = await world.stage.addCore({
    env: { TOKEN_KEYS: `${testTokenKeys},k2:${newKey.secret.toString('base64')}` },
  });
  const over = new AbortController();
  let resealed = 0;
  const resealing = (async () => {
    while (!over.signal.aborted) {
      const count = await reseal({ pool, sealing: both, log: silentLog });
      expect(count.failed).toBe(0);
      resealed += count.resealed;
      await sleep(1);
    }
  })();
  world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 10 });
  world.service.log.clear();
  let rounds = 0;
  for (; (resealed < 10 || rounds < 10) && rounds < 500; rounds++) {
    world.advance(56 * minute);
    expect((await linking.accessTokenFor(linkId)).outcome).toBe('token');
  }
  over.abort();
  await resealing;
  expect(resealed).toBeGreaterThanOrEqual(10);
  expect(world.service.log.of('reuse')).toEqual([]);
  expect(world.service.log.of('token')).toHaveLength(rounds);
});
