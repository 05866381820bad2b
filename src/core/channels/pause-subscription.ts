import { subscriptionPausedBy, subscriptionResumed } from '../../messages/subscribing/announcements.ts';
import { alreadySo } from '../../messages/subscribing/answers.ts';
import { beingReplaced } from '../../messages/subscribing/upkeep.ts';
import type { PauseReason } from '../../messages/text/copy.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf, SlackPerson } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import type { InTransaction } from '../upstream/in-transaction.ts';

export type PauseSubscriptionDeps = {
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
  readonly profileOf: ProfileOf;
  readonly audit: WriteAudit;
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
};

export type PauseSubscription = ReturnType<typeof makePauseSubscription>;

/** The reason of a pause that a member made. */
export const pausedByPerson: PauseReason = 'by a person';
/** What such a pause is called in the audit log. */
export const pauseAct = 'pause subscription';

/** Pauses one subscription while the others of its channel keep posting. Its events are kept, and posted in one summary afterwards. */
export function makePauseSubscription(deps: PauseSubscriptionDeps) {
  const { clock, inTransaction } = deps;
  const by = (context: CommandContext) => whoActs(context, deps.profileOf);

  return {
    /** Only what works can be paused: other pauses have causes of their own, and end with them. */
    async pause(context: CommandContext, row: Subscription): Promise<void> {
      const subscribed = subscribedOf(row);
      const who = await by(context);
      const paused = await inTransaction(async ({ subscriptions, announce }) => {
        if (row.state !== 'active') return [];
        const rows = await subscriptions.pause([row.id], pausedByPerson, clock.now());
        if (rows.length > 0)
          await announce(row, subscriptionPausedBy({ by: who, subscribed, resumeValue: row.id }));
        return rows;
      });
      if (paused.length === 0) return context.reply(alreadySo({ subscribed, paused: true }));
      await deps.audit(context, pauseAct, row.id);
      await deps.refreshHome(context.person);
    },

    /** Resumes it, and posts what was kept. */
    async resume(context: CommandContext, row: Subscription): Promise<void> {
      const subscribed = subscribedOf(row);
      const isPaused = row.state === 'paused' && row.reason === pausedByPerson;
      if (!isPaused) return context.reply(alreadySo({ subscribed, paused: false }));
      const who = await by(context);
      const resumed = await inTransaction(async ({ subscriptions, events, announce }) => {
        const rows = await subscriptions.resume([row.id], clock.now(), pausedByPerson);
        if (rows.length === 0) return rows;
        const missed = await events.releaseHeld(row, 'paused', [row.id]);
        await announce(row, subscriptionResumed({ by: who, subscribed, missed }), resumedOneSubject(row.id));
        return rows;
      });
      // Another person was quicker, or its remote subscription is just being replaced.
      if (resumed.length === 0) return context.reply(beingReplaced({ subscribed }));
      await deps.audit(context, 'resume subscription', row.id);
      await deps.refreshHome(context.person);
    },
  };
}
