import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultWorld, startFaultWorld } from './endure.ts';
import { type FaultRow, limitRows, runRows } from './slack-fault-rows.ts';

const untouched = 8;
/** Milliseconds within which several throttled channels count as throttled at once. */
const atOnceMs = 10_000;
let world: FaultWorld;
beforeAll(async () => {
  world = await startFaultWorld({ name: 'slack limited' });
});
afterAll(() => world.close());

const [soon, later, unsaid] = limitRows;
const groups: { names: string; rows: FaultRow[]; everyNth: number; lastsMs: number }[] = [
  { names: 'Retry-After: 1 and 5', rows: present([soon, later]), everyNth: 1, lastsMs: 10_000 },
  { names: 'no Retry-After', rows: present([unsaid]), everyNth: 1, lastsMs: 10_000 },
  { names: 'Retry-After: 1 and 5', rows: present([soon, later]), everyNth: 5, lastsMs: 16_000 },
];

function present(rows: readonly (FaultRow | undefined)[]): FaultRow[] {
  return rows.filter((row) => row !== undefined);
}

test.each(groups)(
  '429 with $names for one post in $everyNth of a channel: retried when Slack allows, and no other channel is affected',
  async ({ rows, everyNth, lastsMs }) => {
    const results = await runRows(world, rows, { everyNth, lastsMs, perSecond: 1.2, untouched });
    for (const { name, waits } of rows) {
      const result = results.get(name);
      expect(result, name).toMatchObject({ findings: [], lost: 0, doubled: 0 });
      expect(result?.hits, name).toBeGreaterThan(0);
      expect.soft(result?.shortestWait ?? waits, name).toBeGreaterThanOrEqual(waits * 0.97);
      expect.soft(result?.recoveredAfter, name).toBeLessThan(waits + 10);
    }
    for (let number = 1; number <= untouched; number += 1) {
      const result = results.get(`untouched ${number}`);
      expect(result).toMatchObject({ findings: [], lost: 0, doubled: 0 });
      expect.soft(result?.slowestMs).toBeLessThan(8_000);
    }
    await sleep(atOnceMs);
  },
);

test('429 in every channel: the whole workspace waits as long as Slack asks, and nothing is lost or posted twice', async () => {
  const everywhere = Array.from({ length: 10 }, (_, index) => ({
    name: `channel ${index + 1}`,
    fault: { status: 429, retryAfter: 5 },
    mayDouble: false,
    waits: 5,
  }));
  const results = await runRows(world, everywhere, {
    everyNth: 1,
    lastsMs: 10_000,
    perSecond: 2,
    untouched: 0,
  });
  for (const { name } of everywhere) {
    const result = results.get(name);
    expect(result, name).toMatchObject({ findings: [], lost: 0, doubled: 0 });
    expect.soft(result?.recoveredAfter, name).toBeLessThan(5 + 10);
  }
});
