import type Keyv from 'keyv';
import { z } from 'zod';
import { dayMs } from '../../lib/durations.ts';
import type { Records } from '../../lib/records.ts';
import { makeRecords } from './keyv-records.ts';

/** Records when requests with Slack's headers arrived, in milliseconds since the epoch, for a week. */
export function makeSeenSignatures(keyv: Keyv): Records<number> {
  return makeRecords({ keyv, namespace: 'seen-signatures', ttlMs: 7 * dayMs, schema: z.number() });
}
