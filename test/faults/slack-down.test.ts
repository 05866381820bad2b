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
  'every post gets $name for 12 s: nothing is lost, and nothing is needlessly posted twice',
  ({ name, fault, mayDouble, waits }) => {
    const result = results.get(name);
    expect(result).toMatchObject({ findings: [], lost: 0 });
    expect(result?.hits).toBeGreaterThan(0);
    expect.soft(result?.doubled).toBeLessThanOrEqual(mayDouble ? (result?.hits ?? 0) : 0);
    // Retrying sooner than Slack asked, or sooner than 2 s, hammers a Slack that is down.
    expect.soft(result?.shortestWait ?? waits).toBeGreaterThanOrEqual(waits * 0.97);
    // Calls that hang or are answered slowly were still in flight when the fault ended.
    const underWay = fault.hang || fault.delayMs ? 10 : 0;
    expect.soft(result?.recoveredAfter).toBeLessThan(10 + underWay);
  },
);

test.each(Array.from({ length: untouched }, (_, index) => index + 1))(
  'channel %i, which has no fault, gets everything within seconds throughout',
  (number) => {
    const result = results.get(`untouched ${number}`);
    expect(result).toMatchObject({ findings: [], lost: 0, doubled: 0 });
    expect(result?.slowestMs).toBeLessThan(8_000);
  },
);

test('the bot is still running', () => {
  expect(isAlive(world.child.pid)).toBe(true);
});
