import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultWorld, isAlive, startFaultWorld } from './endure.ts';
import { faultRows, type RowResult, runRows } from './slack-fault-rows.ts';

const untouched = 3;
let world: FaultWorld;
let results: ReadonlyMap<string, RowResult>;
beforeAll(async () => {
  world = await startFaultWorld({ name: 'slack down' });
  results = await runRows(world, faultRows, { everyNth: 1, lastsMs: 12_000, perSecond: 1.2, untouched });
}, 180_000);
afterAll(() => world.close());

test.each(faultRows)(
  'each post meets $name for 12 s: nothing is lost, nothing is posted twice without need',
  ({ name, fault, mayDouble, waits }) => {
    const result = results.get(name);
    expect(result).toMatchObject({ findings: [], lost: 0 });
    expect(result?.hits).toBeGreaterThan(0);
    expect.soft(result?.doubled).toBeLessThanOrEqual(mayDouble ? (result?.hits ?? 0) : 0);
    // What is tried again sooner than Slack asked for, or than 2 s, hammers on a Slack that is down.
    expect.soft(result?.shortestWait ?? waits).toBeGreaterThanOrEqual(waits * 0.97);
    // What is answered slowly, or not at all, was under way when the fault ended.
    const underWay = fault.hang || fault.delayMs ? 10 : 0;
    expect.soft(result?.recoveredAfter).toBeLessThan(10 + underWay);
  },
);

test.each(Array.from({ length: untouched }, (_, index) => index + 1))(
  'channel %i, which no fault has touched, gets everything within seconds all the while',
  (number) => {
    const result = results.get(`untouched ${number}`);
    expect(result).toMatchObject({ findings: [], lost: 0, doubled: 0 });
    expect(result?.slowestMs).toBeLessThan(8_000);
  },
);

test('the bot has not ended', () => {
  expect(isAlive(world.child.pid)).toBe(true);
});
