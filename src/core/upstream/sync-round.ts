import { earlier, later, timeLeft } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { LogFields } from '../../lib/log.ts';
import { linkStopped, notSetUp } from '../../messages/subscribing/answers.ts';
import * as links from '../../store/tables/links.ts';
import * as remotes from '../../store/tables/remotes.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { endFor } from '../access/audit.ts';
import { whoOf } from '../access/people-names.ts';
import { announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { isDirect, ownerOf } from '../model/people.ts';
import { mayPass, serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscription.ts';
import { checkLink } from './check-link.ts';
import { placeNew, releaseUnwanted } from './sync.ts';
import { releaseLink } from './unlink.ts';

/** How long the process that made a row has to finish it, in milliseconds. */
const leaveAloneMs = 30_000;
/** How long after a row was made it is given up, in milliseconds. */
const giveUpMs = 600_000;
/** One step of a round has this long, in milliseconds: a service that does not answer costs ten seconds a call. */
const shareMs = 20_000;
const mostARound = 200;

/** Makes what stands at the service what should be there, whatever a crash, a lost answer or a refusal left. Runs every minute, in one process. */
export async function syncRound(bot: Bot): Promise<void> {
  const { db, clock } = bot;
  const now = clock.now();
  await remotes.loseInterrupted(db, now);
  const stuck = await subscriptions.stuck(db, earlier(now, leaveAloneMs));
  await each(bot, stuck, (row) => finish(bot, row), subscriptionFields);
  const lost = await remotes.linksToSearch(db, now);
  await each(
    bot,
    lost,
    (linkId) => search(bot, linkId),
    (link) => ({ link }),
  );
  await releaseRound(bot);
}

/** Looks in the service's list for what was asked for with a link and never answered. */
async function search(bot: Bot, linkId: string): Promise<void> {
  const link = await links.byId(bot.db, linkId);
  const isLost = ({ lostAt, madeAt }: remotes.StoredRemote) => lostAt !== null && madeAt === null;
  // That of a person who is no longer a full member only deletes.
  if (link?.state === 'frozen') await releaseLink(bot, link, later(bot.clock.now(), shareMs), isLost);
  // What the service refused is asked for again every hour, and not every minute because that left something to look for.
  else await checkLink(bot, linkId, { retries: false });
}

/** Deletes at the service what no subscription needs any more, as long as there is time. */
export async function releaseRound(bot: Bot): Promise<void> {
  const { db, clock } = bot;
  const unwanted = await remotes.withUnwanted(db, { now: clock.now(), limit: mostARound });
  await each(
    bot,
    unwanted,
    async ({ subscriptionId, linkId }) => {
      // The service may have answered another deletion of this round with a wait.
      if (linkId !== null && (await links.isResting(db, linkId, clock.now()))) return;
      await releaseUnwanted(bot, subscriptionId);
    },
    ({ subscriptionId: subscription }) => ({ subscription }),
  );
}

/** Runs `act` for each as long as there is time. One that fails must not keep the others waiting. `fields`: the ids to log then. */
async function each<One>(
  { clock, log }: Bot,
  all: Iterable<One>,
  act: (one: One) => Promise<unknown>,
  fields: (one: One) => LogFields,
): Promise<void> {
  const hasTime = timeLeft(clock, shareMs);
  await forEachRow(
    all,
    async (one) => hasTime() && act(one),
    (error, one) =>
      log.warn({ err: error, ...fields(one) }, 'could not settle a subscription at the service'),
  );
}

/** Makes a subscription that was never made at the service, because of a crash or an unavailable service, or gives it up and notifies its owner. */
async function finish(bot: Bot, row: Subscription): Promise<void> {
  const { db, clock } = bot;
  const link = await links.of(db, ownerOf(row));
  if (link?.state !== 'active') return giveUp(bot, row, linkStopped);
  const isYoung = row.createdAt > earlier(clock.now(), giveUpMs);
  // One that is to be given up gets a last try.
  if (isYoung && (await links.isResting(db, link.id, clock.now()))) return;
  try {
    const by = { ...(await whoOf(bot, row, row.ownerUserId)), isReader: isDirect(row.channelId) };
    await placeNew(bot, row, link.id, by);
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure) throw error;
    if (!(isYoung && mayPass(failure.kind))) await giveUp(bot, row, failure.forPerson);
  }
}

/** Ends the row, and notifies its owner. */
async function giveUp(bot: Bot, row: Subscription, forPerson: string): Promise<void> {
  const message = notSetUp(subscribedOf(row), row.channelId, forPerson);
  await inTransaction(bot, async (bot) => {
    if ((await endFor(bot, [row.id], 'not made')).length > 0) await announceTo(bot, ownerOf(row), message);
  });
}
