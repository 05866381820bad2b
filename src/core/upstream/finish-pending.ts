import { earlier, hourMs } from '../../lib/durations.ts';
import { timeLeft } from '../../lib/time-left.ts';
import { subscriptionMade } from '../../messages/subscribing/announcements.ts';
import { linkStopped, notSetUp } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as rows from '../../store/tables/subscriptions.ts';
import { endFor } from '../access/change-state.ts';
import { namesIn } from '../access/shown-names.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { whoOf } from '../model/names-of.ts';
import { isDirect, ownerOf, type SlackPerson } from '../model/people.ts';
import { type ServiceError, serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { undoValue } from '../model/undo.ts';
import type { IsResting } from './call-service.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type FinishPendingDeps = UpstreamRoomDeps & {
  readonly isResting: IsResting;
  readonly upstream: Pick<Upstream, 'replace'>;
  /** Checks a link soon: a lost response may have left a remote subscription at the service. */
  readonly checkSoon: (linkId: string) => void;
};

/** How long the process that made a row has to finish it, in milliseconds. */
const leaveAloneMs = 30_000;
/** How long after a row was made it is given up, in milliseconds. */
const giveUpMs = 600_000;
/** How long after a row was made the bot keeps trying to notify its owner that it is given up, in milliseconds. */
const notifyMs = hourMs;
const shareMs = 30_000;

/** Finishes subscriptions whose creation was interrupted by a crash or an unavailable service, or gives up and notifies the owner. */
export function makeFinishPending(deps: FinishPendingDeps): () => Promise<void> {
  const { clock, subscriptions } = deps;

  return async () => {
    const now = clock.now();
    const toCheck = new Set<string>();
    const hasTime = timeLeft(clock, shareMs);
    for (const row of await subscriptions.stuck(earlier(now, leaveAloneMs))) {
      if (!hasTime()) break;
      // A row that cannot be finished must not keep the others waiting.
      const linkId = await finish(row).catch((error: unknown) => {
        deps.log.warn({ err: error, ...subscriptionFields(row) }, 'could not finish a pending subscription');
        return null;
      });
      if (linkId !== null) toCheck.add(linkId);
    }
    for (const linkId of toCheck) deps.checkSoon(linkId);
  };

  /**
   * Finishes or gives up one row. Returns the link to check afterwards; null if the row is still pending or nothing can be left at the
   * service.
   */
  async function finish(row: Subscription): Promise<string | null> {
    const owner = ownerOf(row);
    const link = await deps.links.of(owner);
    const wanted = { target: row.target, comprehensive: row.comprehensive };
    if (link?.state !== 'active') {
      await giveUp(row, owner, linkStopped);
      return null;
    }
    // One that is to be given up gets a last try.
    if (deps.isResting(link.id) && isYoungerThan(row, giveUpMs)) return null;
    try {
      const store = await announcing(row, owner);
      const made = await deps.upstream.replace(row, { ...wanted, linkId: link.id, store });
      if (made === 'relink') await giveUp(row, owner, linkStopped);
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      if (mayStillCome(failure, row)) return null;
      await giveUp(row, owner, failure.forPerson);
    }
    return link.id;
  }

  function mayStillCome({ kind }: Pick<ServiceError, 'kind'>, row: Subscription): boolean {
    return isYoungerThan(row, giveUpMs) && (kind === 'unavailable' || kind === 'rate-limited');
  }

  function isYoungerThan({ createdAt }: Subscription, milliseconds: number): boolean {
    return createdAt > earlier(clock.now(), milliseconds);
  }

  async function announcing(row: Subscription, owner: SlackPerson) {
    const who = await whoOf(deps.profileOf, owner);
    const names = await namesIn(deps.bot, row, row.filters);
    return async (bot: Bot): Promise<void> => {
      const subscribed = subscribedOf((await rows.byId(bot.db, row.id)) ?? row);
      const settings = { ...row, names };
      const by = { ...who, isReader: isDirect(row.channelId) };
      const undo = undoValue(row.id, clock.now());
      await announce(bot, row, subscriptionMade({ id: row.id, by, subscribed, settings, undoValue: undo }));
      await writeAudit(bot, { person: owner, channelId: row.channelId }, 'subscribe', row.id);
    };
  }

  /** Notifies the owner, then ends the row. If that message fails, the next round tries again, until the row is an hour old. */
  async function giveUp(row: Subscription, owner: SlackPerson, forPerson: string): Promise<void> {
    const message = notSetUp({ subscribed: subscribedOf(row), channelId: row.channelId, forPerson });
    try {
      await deps.directMessage(owner, message);
    } catch (error) {
      deps.log.warn(
        { err: error, ...subscriptionFields(row) },
        'could not notify an owner of a failed subscription',
      );
      if (isYoungerThan(row, notifyMs)) return;
    }
    await endFor(deps.bot, [row.id], 'not made');
  }
}
