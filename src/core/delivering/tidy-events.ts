import { dayMs, earlier } from '../../lib/durations.ts';
import { type EachStepDeps, eachStep } from '../../lib/each-step.ts';
import type { Audit } from '../../store/tables/audit.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';
import { mostDetailsDays } from '../model/settings.ts';

type TidyEventsDeps = EachStepDeps & {
  readonly clock: Clock;
  readonly events: Pick<Events, 'forgetDetails' | 'removeOld'>;
  readonly subscriptions: Pick<Subscriptions, 'removeEnded'>;
  readonly audit: Pick<Audit, 'removeOld'>;
  /** How many days events and dead letters are kept. */
  readonly retentionDays: number;
  /** Rows per statement, so none holds its locks for long; 5,000 by default. */
  readonly batch?: number | undefined;
};

/** Within a week, pending events are posted or counted as too old. Until then they are kept, however short the retention. */
const waitingDays = 8;
/** How long the callback of a removed subscription keeps answering that it is gone. The audit log goes back at least as far. */
const endedDays = 30;

/** Removes old data: first details, then whole events, then rows that nothing refers to any more. */
export function makeTidyEvents(deps: TidyEventsDeps): () => Promise<void> {
  const { events, subscriptions, audit, retentionDays, batch = 5_000 } = deps;

  return async () => {
    const now = deps.clock.now();
    const ago = (days: number) => earlier(now, days * dayMs);
    const keptSince = ago(retentionDays);
    const waitingSince = ago(Math.max(retentionDays, waitingDays));
    const auditedSince = ago(Math.max(retentionDays, endedDays));
    const steps = {
      'forget details': () => allOf((limit) => events.forgetDetails(ago(mostDetailsDays), limit)),
      'remove events': () => removeOldEvents(keptSince, waitingSince),
      'remove subscriptions': () => allOf((limit) => subscriptions.removeEnded(ago(endedDays), limit)),
      'remove audit': () => allOf((limit) => audit.removeOld(auditedSince, limit)),
    };
    await eachStep(steps, deps);
  };

  /** Removes from the oldest on, up to the first batch that contains nothing old. */
  async function removeOldEvents(before: Date, waitingBefore: Date): Promise<void> {
    let after: string | null = '0';
    while (after !== null) after = await events.removeOld({ before, waitingBefore, after, limit: batch });
  }

  /** Each batch is committed separately; one that is not full is the last. */
  async function allOf(take: (limit: number) => Promise<number>): Promise<void> {
    while ((await take(batch)) === batch);
  }
}
