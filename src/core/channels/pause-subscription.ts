import {
  subscriptionPausedBy,
  subscriptionResumed,
  subscriptionsPausedBy,
} from '../../messages/subscribing/announcements.ts';
import { alreadySo, beingReplaced } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import type { AuditAct } from '../model/audit-act.ts';
import { commandLine } from '../model/commands.ts';
import { isPausedByPerson, pausedByPerson } from '../model/pause-reason.ts';
import { isDirect } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { LeaveToOthers } from './leave-to-others.ts';

type PauseSubscriptionDeps = ChannelsRoomDeps & { readonly leaveToOthers: LeaveToOthers };

export type PauseSubscription = ReturnType<typeof makePauseSubscription>;

/** What the audit log calls this pause. */
export const pauseAct: AuditAct = 'pause subscription';

/** Pauses one subscription while others of its channel keep posting. Its events are held, and posted in one summary afterwards. */
export function makePauseSubscription(deps: PauseSubscriptionDeps) {
  const { clock, inTransaction } = deps;
  const by = (context: CommandContext, { ownerUserId }: Subscription) =>
    whoActs(context, deps.profileOf, ownerUserId);

  return {
    /** Pauses an active subscription. Rows paused for other reasons are refused: those pauses end with their own causes. */
    async pause(context: CommandContext, row: Subscription): Promise<void> {
      const subscribed = subscribedOf(row);
      const who = await by(context, row);
      const isPaused = await inTransaction(async ({ subscriptions, announce, audit }) => {
        if (row.state !== 'active') return false;
        const rows = await subscriptions.pause([row.id], pausedByPerson, clock.now());
        if (rows.length === 0) return false;
        await announce(row, subscriptionPausedBy(who, subscribed, row.id));
        await audit(context, pauseAct, row.id);
        return true;
      });
      if (!isPaused) return context.reply(alreadySo({ subscribed, paused: true }));
      await deps.refreshHome(context.person);
    },

    /** Pauses the active ones among several subscriptions of one channel, with one announcement. */
    async pauseSeveral(context: CommandContext, rows: readonly Subscription[]): Promise<void> {
      const [first] = rows.filter(({ state }) => state === 'active');
      if (first === undefined) return;
      const working = rows.filter(({ state }) => state === 'active').map(({ id }) => id);
      const who = await by(context, first);
      const { commands } = context.copy;
      await inTransaction(async ({ subscriptions, announce, audit }) => {
        const done = await subscriptions.pause(working, pausedByPerson, clock.now());
        const [only] = done;
        if (only !== undefined) {
          const subscribed = done.map(subscribedOf);
          await announce(
            first,
            done.length === 1
              ? subscriptionPausedBy(who, subscribedOf(only), only.id)
              : subscriptionsPausedBy(
                  who,
                  subscribed,
                  commandLine(isDirect(first.channelId) ? 'subscriptions to me' : 'subscriptions', commands),
                ),
          );
        }
        for (const { id } of done) await audit(context, pauseAct, id);
      });
    },

    /** Resumes a subscription, and posts its held events. If its owner has unlinked, announces that another member can take it over. */
    async resume(context: CommandContext, row: Subscription): Promise<void> {
      const subscribed = subscribedOf(row);
      if (!isPausedByPerson(row)) return context.reply(alreadySo({ subscribed, paused: false }));
      const who = await by(context, row);
      const leave = await deps.leaveToOthers(row, ({ id }) => id === row.id);
      const resumed = await inTransaction(async (tables) => {
        const { subscriptions, events, announce, audit } = tables;
        if ((await leave(tables)).length > 0) return null;
        const rows = await subscriptions.resume([row.id], clock.now(), pausedByPerson);
        if (rows.length === 0) return rows;
        const waited = await events.releaseHeld(row, 'paused', [row.id]);
        const missed = row.health?.lostInPause ? null : waited;
        await announce(row, subscriptionResumed(subscribed, missed, who), resumedOneSubject(row.id));
        await audit(context, 'resume subscription', row.id);
        return rows;
      });
      if (resumed === null) return deps.refreshHome(context.person);
      // Another person was quicker, or its remote subscription is being replaced.
      if (resumed.length === 0) return context.reply(beingReplaced(subscribed));
      await deps.refreshHome(context.person);
    },
  };
}
