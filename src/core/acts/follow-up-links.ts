import { makeBackground } from '../../lib/background.ts';
import { earlier, later } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { linkReceipt } from '../../messages/linking/linking.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import { answerFailure } from '../access/answer-failure.ts';
import { answerRefusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { replaceOffer } from '../linking/link-commands.ts';
import { linkLimits } from '../linking/tickets.ts';
import type { Link, LinkAttempt, LinkReceipt } from '../model/link.ts';
import { personFields } from '../model/log-fields.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';
import { DirectMessageRefused } from '../slack.ts';
import { checkLinked } from '../upstream/check-link.ts';
import { carryOut } from './carry-out.ts';

/** A command that waited for a link. */
type WaitingCommand = {
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  readonly request: Request;
};

/**
 * Does what follows a link, from what is stored of it: the link is confirmed in Slack, and what waited for it is carried out. The process
 * that made the link does it at once, and another one if that died or could not reach Slack. Each step can fail by itself.
 */
export function makeFollowUps(bot: Bot) {
  const { db, sealing, clock, slack, config, log } = bot;
  const { track, settled } = makeBackground();
  let stopping = false;
  const noteFailure = (what: string, attempt: LinkAttempt) => (error: unknown) =>
    log.warn({ err: error, ...personFields(attempt) }, `could not ${what}`);

  async function followUp({ attempt, receipt }: attempts.UnfinishedAttempt): Promise<void> {
    const link = await links.of(db, attempt);
    // Nobody would wait for what is begun after the stop.
    if (link === null || stopping) return;
    await track(
      Promise.all([
        receipt &&
          confirm(attempt, link, receipt).catch(noteFailure('notify a person of their link', attempt)),
        receipt &&
          replaceOffer(bot, personOf(attempt), link.account).catch(
            noteFailure('replace the offer of a link', attempt),
          ),
        carryOutAsked(attempt).catch(noteFailure('run the commands that waited for a link', attempt)),
      ]),
    );
  }

  async function confirm(attempt: LinkAttempt, link: Link, { replaced }: LinkReceipt): Promise<void> {
    try {
      await slack.directMessage(link, linkReceipt(link.account, replaced, config.copy));
    } catch (error) {
      if (!(error instanceof DirectMessageRefused)) throw error;
      noteFailure('notify a person of their link', attempt)(error);
    }
    await attempts.receiptSent(db, attempt.id);
  }

  async function carryOutAsked(attempt: LinkAttempt): Promise<void> {
    await refreshHome(bot, personOf(attempt));
    // Only now: what is taken is carried out once, or not at all if the process dies. A stop that takes too long is cut short.
    if (!stopping) void track(carryOutEach(personOf(attempt), await takeAsked(attempt)));
  }

  /** A person who typed another command instead of finishing their link waits for both; the same command is carried out once. */
  async function takeAsked(attempt: LinkAttempt): Promise<Iterable<WaitingCommand>> {
    const since = earlier(clock.now(), linkLimits.waitingRequest);
    const asked = new Map<string, WaitingCommand>();
    for (const one of await attempts.takeRequests(db, sealing, attempt, since)) {
      const { channelId, responseUrl } = one;
      const request = requestSchema.nullable().catch(null).parse(one.request);
      if (request !== null)
        asked.set(JSON.stringify([channelId, request]), { channelId, responseUrl, request });
    }
    return asked.values();
  }

  /** One after the other, since a later command can be about what an earlier one makes. */
  async function carryOutEach(person: SlackPerson, asked: Iterable<WaitingCommand>): Promise<void> {
    for (const { request, ...where } of asked) {
      // That they were in the channel was checked when they asked.
      const context = bot.contextFrom({ person, ...where, madeInChannel: true });
      await answerRefusal(() => carryOut(bot, context, request)).catch((error: unknown) =>
        answerFailure(bot, error, context),
      );
    }
    // Resumed after the requests, so both do not set up the same subscription.
    bot.later.run(() => checkLinked(bot, person), 'could not check the link of a person who linked');
  }

  return {
    /** Never throws. Does nothing if the bot is stopping: another process does it then. */
    async followUpLink(attemptId: string): Promise<void> {
      try {
        const made = stopping ? null : await attempts.unfinished(db, sealing, attemptId);
        if (made !== null) await followUp(made);
      } catch (error) {
        log.warn({ err: error }, 'could not follow up a link');
      }
    },

    /**
     * Does what a process left to do after it made a link. The person may be sent the message twice if it died right after sending it. Runs
     * every minute.
     */
    async followUpInterrupted(): Promise<void> {
      const now = clock.now();
      await forEachRow(
        await attempts.takeUnfinished(db, sealing, now, later(now, linkLimits.followUp)),
        followUp,
        (error, { attempt }) => noteFailure('follow up a link', attempt)(error),
      );
    },

    /** Follows up no more links, and settles once the commands that waited for one are carried out. */
    async stop(): Promise<void> {
      stopping = true;
      await settled();
    },
  };
}
