import { subscriptionPausedBy, subscriptionResumed } from '../../messages/subscribing/announcements.ts';
import { alreadySo } from '../../messages/subscribing/answers.ts';
import { beingReplaced } from '../../messages/subscribing/upkeep.ts';
import type { PauseReason } from '../../messages/text/copy.ts';
import type { Subscription } from '../../store/tables/subscriptions.ts';
import type { Asked } from '../access/command-context.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { Together } from '../upstream/in-transaction.ts';

export type PauseSubscriptionDeps = {
  readonly clock: Clock;
  readonly together: Together;
  readonly profileOf: ProfileOf;
  readonly audit: (asked: Asked, act: string, subject: string) => Promise<void>;
};

export type PauseSubscription = ReturnType<typeof makePauseSubscription>;

/** Why a subscription is paused that somebody wanted so. */
export const pausedByPerson: PauseReason = 'by a person';

/** Pauses one subscription while the others of its channel go on. Its events are kept, and told in one summary afterwards. */
export function makePauseSubscription(deps: PauseSubscriptionDeps) {
  const { clock, together } = deps;
  const by = async ({ person }: Asked) => ({
    userId: person.userId,
    name: (await deps.profileOf(person)).name,
  });

  return {
    /** Only what works can be paused: other pauses have causes of their own, and end with them. */
    async pause(asked: Asked, row: Subscription): Promise<void> {
      const subscribed = subscribedOf(row);
      const who = await by(asked);
      const paused = await together(async ({ subscriptions, announce }) => {
        if (row.state !== 'active') return [];
        const rows = await subscriptions.pause([row.id], pausedByPerson, clock.now());
        if (rows.length > 0)
          await announce(row, subscriptionPausedBy({ by: who, subscribed, resumeValue: row.id }));
        return rows;
      });
      if (paused.length === 0) return asked.reply(alreadySo({ subscribed, paused: true }));
      await deps.audit(asked, 'pause subscription', row.id);
    },

    /** Lets it go on, and what was kept. */
    async resume(asked: Asked, row: Subscription): Promise<void> {
      const subscribed = subscribedOf(row);
      const isPaused = row.state === 'paused' && row.reason === pausedByPerson;
      if (!isPaused) return asked.reply(alreadySo({ subscribed, paused: false }));
      const who = await by(asked);
      const resumed = await together(async ({ subscriptions, events, announce }) => {
        const rows = await subscriptions.resume([row.id], clock.now(), pausedByPerson);
        if (rows.length === 0) return rows;
        const missed = await events.letGo(row, 'paused', [row.id]);
        await announce(row, subscriptionResumed({ by: who, subscribed, missed }), `resumed ${row.id}`);
        return rows;
      });
      // Somebody else was quicker, or its record at the service is just being made anew.
      if (resumed.length === 0) return asked.reply(beingReplaced({ subscribed }));
      await deps.audit(asked, 'resume subscription', row.id);
    },
  };
}
