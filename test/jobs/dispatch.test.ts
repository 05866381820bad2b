import { afterEach, expect, test, vi } from 'vitest';
import type { HeldClaims } from '../../src/core/model/lane-card.ts';
import type { Channel } from '../../src/core/model/people.ts';
import { startDispatch } from '../../src/jobs/dispatch.ts';
import { silentLog } from '../support/log.ts';

/** Returns lanes of one workspace. */
function lanesOf(count: number): Channel[] {
  return Array.from({ length: count }, (_, n) => ({ enterpriseId: null, teamId: 'T1', channelId: `C${n}` }));
}

/** Makes an error like those `pg` throws. */
function databaseError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

const second = 1_000;

afterEach(() => {
  vi.useRealTimers();
});

test('forty lanes that are due at once leave room for other requests in between', async () => {
  const lanes = lanesOf(40);
  let loopTurn = 0;
  let heartbeat: NodeJS.Immediate | undefined;
  const count = () => {
    loopTurn += 1;
    heartbeat = setImmediate(count);
  };
  const begunIn = new Map<number, number>();
  const dispatch = startDispatch({
    queue: {
      take: async (named) => {
        heartbeat = setImmediate(count);
        return { taken: named.map((lane) => ({ lane, bytes: 0 })), resting: [] };
      },
      sweep: async () => ({ lanes: [], next: null }),
    },
    deliver: async () => {
      begunIn.set(loopTurn, (begunIn.get(loopTurn) ?? 0) + 1);
      return null;
    },
    processId: 'one',
    now: () => new Date(),
    log: silentLog,
  });

  dispatch.wake(lanes);
  await expect.poll(() => [...begunIn.values()].reduce((sum, begun) => sum + begun, 0)).toBe(40);
  clearImmediate(heartbeat);
  await dispatch.stop();

  expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(3);
});

test('one of a hundred digests of the same hour that did not fit into its share is taken again, alone and whole', async () => {
  const takes: { named: number; eventsEach: number }[] = [];
  const delivered: string[] = [];
  const dispatch = startDispatch({
    queue: {
      take: async (named, { eventsEach }) => {
        takes.push({ named: named.length, eventsEach });
        const isWhole = eventsEach === 5_000;
        return { taken: named.map((lane) => ({ lane, isWhole, bytes: 0 })), resting: [] };
      },
      sweep: async () => ({ lanes: [], next: null }),
    },
    deliver: async ({ lane: { channelId }, isWhole }) => {
      const needsWhole = channelId === 'C7' && !isWhole;
      if (!needsWhole) delivered.push(channelId);
      return { ready: new Date(), waits: needsWhole, needsWhole };
    },
    processId: 'one',
    now: () => new Date(),
    log: silentLog,
  });

  dispatch.wake(lanesOf(100));
  await expect.poll(() => delivered.length).toBe(100);
  await dispatch.stop();

  expect(takes.at(0)).toEqual({ named: 100, eventsEach: 100 });
  expect(takes.at(-1)).toEqual({ named: 1, eventsEach: 5_000 });
  expect(delivered.at(-1)).toBe('C7');
});

test('a channel with thousands of changes is taken with as many as one message shows, if no other channel is due', async () => {
  const takes: number[] = [];
  const dispatch = startDispatch({
    queue: {
      take: async (named, { eventsEach }) => {
        takes.push(eventsEach);
        return { taken: named.map((lane) => ({ lane, bytes: 0 })), resting: [] };
      },
      sweep: async () => ({ lanes: [], next: null }),
    },
    deliver: async () => null,
    processId: 'one',
    now: () => new Date(),
    log: silentLog,
  });

  dispatch.wake(lanesOf(1));
  await expect.poll(() => takes).toEqual([5_000]);
  await dispatch.stop();
});

test('while turns hold many bytes, takes load few, and a lane that needs its events whole waits for one to end', async () => {
  const [first, second, third] = lanesOf(3);
  if (!first || !second || !third) throw new Error('no lanes');
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const takes: { lane: string | undefined; bytes: number; isWhole: boolean }[] = [];
  let partial = true;
  const dispatch = startDispatch({
    queue: {
      take: async (named, { bytes, eventsEach }) => {
        takes.push({ lane: named[0]?.channelId, bytes, isWhole: eventsEach === 5_000 });
        return {
          taken: named.map((lane) => ({ lane, bytes: lane === first ? 15_000_000 : 0 })),
          resting: [],
        };
      },
      sweep: async () => ({ lanes: [], next: null }),
    },
    deliver: async ({ lane }) => {
      if (lane === first) await ended;
      const needsWhole = lane === second && partial;
      if (needsWhole) partial = false;
      return { ready: new Date(), waits: needsWhole, needsWhole };
    },
    processId: 'one',
    now: () => new Date(),
    log: silentLog,
  });

  dispatch.wake([first]);
  await expect.poll(() => takes.length).toBe(1);
  dispatch.wake([second]);
  await expect.poll(() => takes.length).toBe(2);
  dispatch.wake([third]);
  await expect.poll(() => takes.length).toBe(3);
  expect(takes.map(({ lane, bytes }) => [lane, bytes])).toEqual([
    ['C0', 6_000_000],
    ['C1', 1_000_000],
    ['C2', 50_000],
  ]);
  end();
  await expect.poll(() => takes.at(3)).toEqual({ lane: 'C1', bytes: 6_000_000, isWhole: true });
  await dispatch.stop();
});

type Dispatched = {
  readonly take: (named: readonly Channel[]) => void;
  readonly sweep?: Parameters<typeof startDispatch>[0]['queue']['sweep'];
};

/** Starts a dispatcher whose statements fail if `take` or `sweep` throws. Its turns end at once. */
function startDispatched({ take, sweep }: Dispatched) {
  const asked: number[] = [];
  const given: string[] = [];
  const held: (HeldClaims | null)[] = [];
  const dispatch = startDispatch({
    queue: {
      take: async (named, claim) => {
        asked.push(named.length);
        held.push(claim.held);
        take(named);
        return { taken: named.map((lane) => ({ lane, bytes: 0 })), resting: [] };
      },
      sweep: sweep ?? (async () => ({ lanes: [], next: null })),
    },
    deliver: async ({ lane }) => {
      given.push(lane.channelId);
      return null;
    },
    processId: 'one',
    now: () => new Date(),
    log: silentLog,
  });
  return { ...dispatch, asked, given, held };
}

function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
}

test('when the database times out on eighty lanes at once, it is asked for fewer, and slowly for more again', async () => {
  fakeTime();
  const tooMany = (named: readonly Channel[]) => {
    if (named.length > 15) throw databaseError('57014');
  };
  const dispatch = startDispatched({ take: tooMany });
  const allGiven = async (count: number): Promise<void> => {
    // Rendering yields to the event loop in between, which fake timers do not advance.
    for (let tries = 0; tries < 300 && dispatch.given.length < count; tries += 1) {
      await vi.advanceTimersByTimeAsync(second / 10);
    }
    expect(dispatch.given).toHaveLength(count);
  };
  dispatch.wake(lanesOf(80));
  await allGiven(80);
  // Fake timers fire one by one: the first lane whose wait is over is taken before the wait of the others is.
  const together = dispatch.asked.filter((lanes) => lanes > 1);
  expect(together.slice(0, 4)).toEqual([80, 40, 20, 10]);
  const first = dispatch.asked.length;

  dispatch.wake(lanesOf(80));
  await allGiven(160);
  const again = dispatch.asked.slice(first);
  expect(Math.max(...again)).toBeLessThanOrEqual(17);
  expect(Math.max(...again)).toBeGreaterThan(10);
  await dispatch.stop();
});

test('when the database times out on a sweep of all lanes, they are found in parts', async () => {
  fakeTime();
  const waiting = lanesOf(250);
  const dispatch = startDispatched({
    take: () => undefined,
    sweep: async (_now, _held, { after, most }) => {
      if (most > 100) throw databaseError('57014');
      const from = after === null ? 0 : waiting.indexOf(after) + 1;
      const lanes = waiting.slice(from, from + most);
      return { lanes, next: lanes.length < most ? null : (lanes.at(-1) ?? null) };
    },
  });
  for (let tries = 0; tries < 600 && new Set(dispatch.given).size < waiting.length; tries += 1) {
    await vi.advanceTimersByTimeAsync(second / 10);
  }
  expect(new Set(dispatch.given)).toEqual(new Set(waiting.map(({ channelId }) => channelId)));
  await dispatch.stop();
});

test('a database that goes away between two parts of a sweep is asked again every two seconds', async () => {
  fakeTime();
  let sweeps = 0;
  const dispatch = startDispatched({
    take: () => undefined,
    sweep: async () => {
      sweeps += 1;
      if (sweeps > 1) throw databaseError('ECONNREFUSED');
      return { lanes: [], next: lanesOf(1)[0] ?? null };
    },
  });
  await vi.advanceTimersByTimeAsync(second);
  const before = sweeps;
  await vi.advanceTimersByTimeAsync(20 * second);
  expect(sweeps - before).toBe(10);
  await dispatch.stop();
});

test('a take that fails for a reason of its own extends no claims, however often it fails', async () => {
  fakeTime();
  const bad = lanesOf(1);
  const spoiled = (named: readonly Channel[]) => {
    if (named.some(({ channelId }) => channelId === 'C0')) throw databaseError('22P02');
  };
  const dispatch = startDispatched({ take: spoiled });
  dispatch.wake(lanesOf(8));
  for (let round = 0; round < 10; round += 1) {
    await vi.advanceTimersByTimeAsync(2 * second);
    dispatch.wake(bad);
  }
  expect(dispatch.held.filter((held) => held !== null)).toEqual([]);
  const good = lanesOf(8).slice(1);
  expect(new Set(dispatch.given)).toEqual(new Set(good.map(({ channelId }) => channelId)));
  await dispatch.stop();
});

test('after a database outage, claims that expired during it hold for another 14 s, and no longer', async () => {
  fakeTime();
  const faults: Error[] = [];
  const unlessAway = () => {
    for (const fault of faults) throw fault;
  };
  const dispatch = startDispatched({
    take: unlessAway,
    sweep: async () => {
      unlessAway();
      return { lanes: [], next: null };
    },
  });
  await vi.advanceTimersByTimeAsync(10 * second);
  faults.push(databaseError('ECONNREFUSED'));
  const wentAway = Date.now();
  await vi.advanceTimersByTimeAsync(60 * second);
  faults.pop();
  await vi.advanceTimersByTimeAsync(2 * second);
  const cameBack = Date.now();
  const heldFor = async (): Promise<HeldClaims | null | undefined> => {
    dispatch.wake(lanesOf(1));
    await vi.advanceTimersByTimeAsync(100);
    return dispatch.held.at(-1);
  };

  const held = await heldFor();
  expect(held?.since.getTime()).toBeGreaterThanOrEqual(wentAway - 4 * second);
  expect(held?.since.getTime()).toBeLessThanOrEqual(wentAway);
  expect(held?.until.getTime()).toBeLessThanOrEqual(cameBack + 14 * second);
  await vi.advanceTimersByTimeAsync(15 * second);
  expect(await heldFor()).toBeNull();
  await dispatch.stop();
});
