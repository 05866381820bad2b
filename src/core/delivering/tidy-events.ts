import { dayMs, earlier } from '../../lib/durations.ts';
import { type EachStepDeps, eachStep } from '../../lib/each-step.ts';
import type { Audit } from '../../store/tables/audit.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';

export type TidyEventsDeps = EachStepDeps & {
  readonly clock: Clock;
  readonly events: Pick<Events, 'forgetDetails' | 'removeOld'>;
  readonly subscriptions: Pick<Subscriptions, 'removeEnded'>;
  readonly audit: Pick<Audit, 'removeOld'>;
  /** How long events and dead letters are kept. */
  readonly retentionDays: number;
  /** Rows that one statement looks at, so that none holds its locks for long; 5,000 by default. */
  readonly batch?: number | undefined;
};

/** Names, paths and e-mails are needed for **Show all** and for questions that come soon, and for nothing else. */
const detailsDays = 7;
/** What waits is posted, or counted as too old, within a week; until then it is not deleted, however short the retention. */
const waitingDays = 8;
/** A removed subscription's callback says for so long that it is gone; the audit goes back at least as far. */
const endedDays = 30;

/** Forgets what is old: first details, then whole events, then what nothing refers to any more. */
export function makeTidyEvents(deps: TidyEventsDeps): () => Promise<void> {
  const { events, subscriptions, audit, retentionDays, batch = 5_000 } = deps;

  return async () => {
    const now = deps.clock.now();
    const ago = (days: number) => earlier(now, days * dayMs);
    const keptSince = ago(retentionDays);
    const waitingSince = ago(Math.max(retentionDays, waitingDays));
    const auditedSince = ago(Math.max(retentionDays, endedDays));
    const steps = {
      'forget details': () => allOf((limit) => events.forgetDetails(ago(detailsDays), limit)),
      'remove events': () => removeOldEvents(keptSince, waitingSince),
      'remove subscriptions': () => allOf((limit) => subscriptions.removeEnded(ago(endedDays), limit)),
      'remove audit': () => allOf((limit) => audit.removeOld(auditedSince, limit)),
    };
    await eachStep(steps, deps);
  };

  /** From the oldest on, up to the first batch in which nothing is old any more. */
  async function removeOldEvents(before: Date, waitingBefore: Date): Promise<void> {
    let after: string | null = '0';
    while (after !== null) after = await events.removeOld({ before, waitingBefore, after, limit: batch });
  }

  /** Each batch is committed by itself; one that is not full was the last. */
  async function allOf(take: (limit: number) => Promise<number>): Promise<void> {
    while ((await take(batch)) === batch);
  }
}
