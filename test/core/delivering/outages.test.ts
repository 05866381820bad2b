import { beforeEach, expect, test } from 'vitest';
import { makeOutages } from '../../../src/core/delivering/outages.ts';
import type { Records } from '../../../src/lib/records.ts';
import { silentLog } from '../../support/log.ts';

const second = 1_000;
const minute = 60 * second;
const start = Date.UTC(2026, 10, 21, 9, 0);

let isAway: boolean;
let database: Map<string, unknown>;
/** The wall clock, and how far a process believes the database's clock to be behind it. */
let time: number;
let behind: number;
beforeEach(() => {
  isAway = false;
  database = new Map();
  time = start;
  behind = 0;
});

/** Records in a database that all processes share, and that can be down. */
function recordsOf<Value>(kind: string): Records<Value> {
  const inDatabase = async <T>(act: () => T): Promise<T> => {
    if (isAway) throw new Error('connect ECONNREFUSED');
    return act();
  };
  return {
    get: (key) => inDatabase(() => database.get(`${kind} ${key}`) as Value | undefined),
    set: (key, value) => inDatabase(() => void database.set(`${kind} ${key}`, value)),
    delete: (key) => inDatabase(() => void database.delete(`${kind} ${key}`)),
  };
}

function startProcess() {
  return makeOutages({
    signs: recordsOf('sign'),
    outages: recordsOf('outage'),
    clock: { now: () => new Date(time - behind) },
    uptime: () => time - start,
    log: silentLog,
  });
}

/** Runs processes that are working for some minutes: each looks for lanes every two seconds. */
async function runFor(minutes: number, ...processes: readonly ReturnType<typeof startProcess>[]) {
  for (const end = time + minutes * minute; time < end; time += 2 * second) {
    for (const each of processes) {
      if (!isAway) await each.answered();
      if ((time - start) % minute === 0) await each.beat();
    }
  }
}

test('only the database is down for ten minutes: the outage is known from first to last second before anything is posted', async () => {
  const outages = startProcess();
  await outages.beat();
  await runFor(2.5, outages);
  isAway = true;
  await runFor(10, outages);
  isAway = false;
  const back = time;

  await outages.answered();

  expect(outages.last()).toEqual({ from: new Date(back - 10 * minute - 2 * second), to: new Date(back) });
});

test('the database is down for four and a half minutes: no outage, although the last heartbeat is more than five minutes old', async () => {
  const outages = startProcess();
  await outages.beat();
  await runFor(0.9, outages);
  isAway = true;
  await runFor(4.5, outages);
  isAway = false;

  await outages.answered();
  await outages.beat();

  expect(outages.last()).toBeNull();
});

test('a laptop slept for an hour and the clock estimate is not corrected yet: the bot counts as down for that hour', async () => {
  const outages = startProcess();
  await outages.beat();
  await runFor(2, outages);
  const slept = time;
  time += 60 * minute;
  behind = 60 * minute;

  await outages.answered();

  expect(outages.last()).toEqual({ from: new Date(slept - 2 * second), to: new Date(time) });
});

test('one process stalls for an hour while another runs: no outage', async () => {
  const [still, running] = [startProcess(), startProcess()];
  await still.beat();
  await running.beat();
  await runFor(60, running);

  await still.answered();

  expect(still.last()).toBeNull();
});

test('an outage noted by the first process to recover is known to the other one before it posts', async () => {
  const [first, other] = [startProcess(), startProcess()];
  await first.beat();
  await other.beat();
  await runFor(1, first, other);
  isAway = true;
  await runFor(8, first, other);
  isAway = false;
  await first.answered();
  time += second;

  await other.answered();

  expect(other.last()).toEqual(first.last());
  expect(other.last()).not.toBeNull();
});
