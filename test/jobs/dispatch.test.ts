import { expect, test } from 'vitest';
import type { Channel } from '../../src/core/model/people.ts';
import { startDispatch } from '../../src/jobs/dispatch.ts';
import { silentLog } from '../support/log.ts';

test('forty lanes that are due at once leave other requests their turn in between', async () => {
  const lanes = Array.from(
    { length: 40 },
    (_, n): Channel => ({
      enterpriseId: null,
      teamId: 'T1',
      channelId: `C${n}`,
    }),
  );
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
        return { taken: named.map((lane) => ({ lane })), resting: [] };
      },
      sweep: async () => [],
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
