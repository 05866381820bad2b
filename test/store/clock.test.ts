import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabaseClock } from '../../src/store/clock.ts';
import { silentLog } from '../support/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase('clock');
});
afterAll(() => database.drop());

async function databaseTime(): Promise<number> {
  const { rows } = await database.connect().pool.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now.getTime() ?? 0;
}

/** Returns a pool whose server has its own time, and whose answers take as long as requested. */
function serverWith(answers: { time: () => number; delay?: (query: number) => number }) {
  let monotonic = 1_000;
  let queries = 0;
  const query = async () => {
    const delay = answers.delay?.(queries++) ?? 0;
    const now = answers.time();
    monotonic += delay;
    return { rows: [{ now: String(now) }] };
  };
  return {
    pool: { query } as unknown as Parameters<typeof startDatabaseClock>[0]['pool'],
    monotonic: () => monotonic,
    pass: (milliseconds: number) => {
      monotonic += milliseconds;
    },
  };
}

test("the clock shows the database's time", async () => {
  const { pool } = database.connect();
  const clock = await startDatabaseClock({ pool, log: silentLog, monotonic: () => performance.now() });
  const [before, shown, after] = [await databaseTime(), clock.now().getTime(), await databaseTime()];
  clock.stop();
  expect(shown).toBeGreaterThan(before - 20);
  expect(shown).toBeLessThan(after + 20);
});

test('a machine whose own clock is ten minutes off agrees with the database', async () => {
  const server = serverWith({ time: () => 5_000_000 });
  const clock = await startDatabaseClock({ ...server, log: silentLog });
  expect(clock.now().getTime()).toBe(5_000_000);
  server.pass(250);
  expect(clock.now().getTime()).toBe(5_000_250);
  clock.stop();
});

test('of three answers the fastest counts, less half its round trip', async () => {
  const delays = [400, 20, 300];
  const server = serverWith({ time: () => 5_000_000, delay: (query) => delays[query] ?? 0 });
  const clock = await startDatabaseClock({ ...server, log: silentLog });
  // The fastest was asked at 1,400 and answered at 1,420; 300 more have passed since.
  expect(clock.now().getTime()).toBe(5_000_000 - 1_410 + 1_720);
  clock.stop();
});

test("when the database's clock is set, the bot follows at the next measurement", async () => {
  let time = 5_000_000;
  const server = serverWith({ time: () => time });
  const clock = await startDatabaseClock({ ...server, log: silentLog });
  time = 9_000_000;
  expect(clock.now().getTime()).toBe(5_000_000);
  await clock.refresh();
  expect(clock.now().getTime()).toBe(9_000_000);
  clock.stop();
});

test('while the database is down the clock keeps running', async () => {
  const away = new Error('away');
  const answers: (number | Error)[] = [5_000_000, 5_000_000, 5_000_000];
  const server = serverWith({
    time: () => {
      const answer = answers.shift() ?? away;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const lines: string[] = [];
  const log = { ...silentLog, warn: (_fields: unknown, message: string) => lines.push(message) };
  const clock = await startDatabaseClock({ ...server, log, everyMs: 5 });
  await expect.poll(() => lines.length).toBeGreaterThan(1);
  server.pass(1_000);
  expect(clock.now().getTime()).toBe(5_001_000);
  clock.stop();
});
