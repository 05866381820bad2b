import type Keyv from 'keyv';
import { z } from 'zod';
import { dayMs } from '../../lib/durations.ts';
import type { Records } from '../../lib/records.ts';
import { makeRecords } from './keyv-records.ts';

/** When requests with Slack's headers came, in milliseconds since the epoch. A week later nobody asks. */
export function makeSeenSignatures(keyv: Keyv): Records<number> {
  return makeRecords({ keyv, namespace: 'seen-signatures', ttlMs: 7 * dayMs, schema: z.number() });
}
