import { earlier, hourMs, minuteMs } from '../../lib/durations.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as events from '../../store/tables/events.ts';
import type { Bot } from '../bot.ts';

/** Longer than resuming takes. */
const resumedForMs = minuteMs;
const lookedBackMs = hourMs;

/**
 * Releases events that were stored as held for a pause just as that pause ended: the statement that stored them saw the subscription as it
 * was when the statement began. Runs every minute.
 */
export async function releaseLate({ db, clock }: Bot): Promise<void> {
  const now = clock.now();
  const changed = { since: earlier(now, lookedBackMs), before: earlier(now, resumedForMs) };
  for (const lane of await events.releaseLate(db, changed)) await signalLanes(db, [lane]);
}
