import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultWorld, isAlive, startFaultWorld } from './endure.ts';
import { faultRows, type RowResult, runRows } from './slack-fault-rows.ts';

let world: FaultWorld;
let results: ReadonlyMap<string, RowResult>;
beforeAll(async () => {
  world = await startFaultWorld({ name: 'slack flaky' });
  results = await runRows(world, faultRows, {
    everyNth: 5,
    lastsMs: 18_000,
    perSecond: 1.2,
    untouched: 2,
  });
}, 180_000);
afterAll(() => world.close());

test.each(faultRows)(
  'one post in five gets $name: nothing is lost, and nothing is needlessly posted twice',
  ({ name, mayDouble }) => {
    const result = results.get(name);
    expect(result).toMatchObject({ findings: [], lost: 0 });
    expect(result?.hits).toBeGreaterThan(0);
    expect.soft(result?.doubled).toBeLessThanOrEqual(mayDouble ? (result?.hits ?? 0) : 0);
  },
);

test('the bot is still running', () => {
  expect(isAlive(world.child.pid)).toBe(true);
});
