import { earlier, later } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { linkReceipt } from '../../messages/linking/linking.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import { contextFrom } from '../access/command-context.ts';
import { answerFailures } from '../access/refusal.ts';
import { announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { replaceOffer } from '../linking/link-commands.ts';
import { linkLimits } from '../linking/tickets.ts';
import type { Link, LinkAttempt, LinkReceipt } from '../model/link.ts';
import { personFields } from '../model/log-fields.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { requestSchema } from '../model/request.ts';
import { checkLinked } from '../upstream/check-link.ts';
import { carryOut } from './carry-out.ts';

// What follows a link is done from what is stored of it: the link is confirmed in Slack, and what waited for it is carried out. The process that
// made the link does it at once, and another one if that died or could not reach Slack. Each step can fail by itself.

/** Does what follows the link of this attempt. Does nothing if the bot is stopping: another process does it then. */
export async function followUpLink(bot: Bot, attemptId: string): Promise<void> {
  const made = await attempts.unfinished(bot.db, bot.sealing, attemptId);
  if (made !== null) await followUp(bot, made);
}

/** Does what a process left to do after it made a link. Runs every minute. */
export async function followUpInterrupted(bot: Bot): Promise<void> {
  const { db, sealing, clock } = bot;
  const now = clock.now();
  await forEachRow(
    await attempts.takeUnfinished(db, sealing, now, later(now, linkLimits.followUp)),
    (made) => followUp(bot, made),
    (error, { attempt }) => noteFailure(bot, 'follow up a link', attempt)(error),
  );
}

const noteFailure =
  ({ log }: Bot, what: string, attempt: LinkAttempt) =>
  (error: unknown) =>
    log.warn({ err: error, ...personFields(attempt) }, `could not ${what}`);

async function followUp(bot: Bot, { attempt, receipt }: attempts.UnfinishedAttempt): Promise<void> {
  const link = await links.of(bot.db, attempt);
  // Nobody would wait for what is begun after the stop.
  if (link === null || bot.later.isStopping()) return;
  const failed = (what: string) => noteFailure(bot, what, attempt);
  await bot.later.track(
    Promise.all([
      receipt && confirm(bot, attempt, link, receipt).catch(failed('notify a person of their link')),
      receipt &&
        replaceOffer(bot, personOf(attempt), link.account).catch(failed('replace the offer of a link')),
      carryOutAsked(bot, attempt).catch(failed('run the commands that waited for a link')),
    ]),
  );
}

function confirm(bot: Bot, attempt: LinkAttempt, link: Link, { replaced }: LinkReceipt): Promise<void> {
  const receipt = linkReceipt(link.account, replaced, bot.config.copy);
  return inTransaction(bot, async (bot) => {
    if (await attempts.takeReceipt(bot.db, attempt.id)) await announceTo(bot, link, receipt);
  });
}

async function carryOutAsked(bot: Bot, attempt: LinkAttempt): Promise<void> {
  const { later: work } = bot;
  await refreshHome(bot, personOf(attempt));
  // Only now: what is taken is carried out once, or not at all if the process dies. A stop that takes too long is cut short.
  if (!work.isStopping())
    void work.track(carryOutEach(bot, personOf(attempt), await takeAsked(bot, attempt)));
}

/** A person who typed another command instead of finishing their link waits for both; the same command is carried out once. */
async function takeAsked({ db, sealing, clock }: Bot, attempt: LinkAttempt) {
  const since = earlier(clock.now(), linkLimits.waitingRequest);
  const taken = await attempts.takeRequests(db, sealing, attempt, since);
  const asked = taken.flatMap((one) => {
    const request = requestSchema.safeParse(one.request).data;
    return request ? { ...one, request } : [];
  });
  return new Map(asked.map((one) => [JSON.stringify([one.channelId, one.request]), one])).values();
}

/** One after the other, since a later command can be about what an earlier one makes. */
async function carryOutEach(
  bot: Bot,
  person: SlackPerson,
  asked: Awaited<ReturnType<typeof takeAsked>>,
): Promise<void> {
  for (const { request, channelId, responseUrl } of asked) {
    // That they were in the channel was checked when they asked.
    const context = contextFrom(bot, { person, channelId, responseUrl, madeInChannel: true });
    await answerFailures(bot, context, () => carryOut(bot, context, request));
  }
  // Resumed after the requests, so both do not set up the same subscription.
  bot.later.run(() => checkLinked(bot, person), 'could not check the link of a person who linked');
}
