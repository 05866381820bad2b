import { uptime } from 'node:os';
import { setInterval } from 'node:timers';
import { z } from 'zod';
import { makeOutages } from '../core/delivering/outages.ts';
import { minuteMs } from '../lib/durations.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import type { Base } from './base.ts';

const beatEveryMs = minuteMs;

/** Composes the heartbeat of this process, which also detects outages. `stop` ends its timer. */
export async function composeOutages({ store: { keyv }, clock, log }: Base) {
  const outages = makeOutages({
    signs: makeRecords({ keyv, namespace: 'signs-of-life', schema: z.number() }),
    outages: makeRecords({
      keyv,
      namespace: 'outages',
      schema: z.object({ from: z.number(), to: z.number() }),
    }),
    clock,
    uptime: () => uptime() * 1_000,
    log,
  });
  await outages.beat();
  const timer = setInterval(() => void outages.beat(), beatEveryMs);
  timer.unref();
  return { last: outages.last, answered: outages.answered, stop: () => clearInterval(timer) };
}
