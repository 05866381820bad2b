import { makeBackground } from '../../lib/background.ts';
import { earlier, later, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { LinkAttempt } from '../model/link.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';
import { DirectMessageRefused } from '../slack.ts';
import { linkLimits } from './limits.ts';
import type { LinkOffers } from './link-offers.ts';
import type { LinkMade } from './link-outcome.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { Notify } from './notify-person.ts';

/** A command that waited for a link. */
export type AskedBefore = {
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  readonly request: Request;
};

/** Runs the commands that waited for a link. */
export type CarryOut = (input: {
  readonly person: SlackPerson;
  /** Returns them in this order, to one caller only; there are none if the person asked only for the link. */
  readonly takeAsked: () => Promise<readonly AskedBefore[]>;
}) => Promise<void>;

/**
 * What follows a link: it is confirmed in Slack, and what waited for it is carried out. Does nothing if the bot is stopping: another process
 * does it then. Never throws.
 */
export type FollowUp = (attempt: LinkAttempt, made: LinkMade) => Promise<void>;

type FollowUpDeps = LinkingRoomDeps & {
  readonly notify: Pick<Notify, 'linked'>;
  readonly offers: Pick<LinkOffers, 'replace'>;
  readonly carryOut: CarryOut;
};

/** How long the process that made a link has to follow it up; afterwards another one does what it left. */
export const followUpMs = minuteMs;

/** Makes what follows a link, at once and after a crash. Tokens and link are stored before; each step here can fail by itself. */
export function makeFollowUp(deps: FollowUpDeps) {
  const { attempts, clock } = deps;
  const { track, settled } = makeBackground();
  let stopping = false;
  const noteFailure = (what: string, attempt: LinkAttempt) => (error: unknown) =>
    deps.noteFailure(what, error, personOf(attempt));

  async function confirm(attempt: LinkAttempt, made: LinkMade): Promise<void> {
    try {
      await deps.notify.linked(made);
    } catch (error) {
      if (!(error instanceof DirectMessageRefused)) throw error;
      noteFailure('notify a person of their link', attempt)(error);
    }
    await attempts.receiptSent(attempt.id);
  }

  /** A person who typed another command instead of finishing their link waits for both; the same command is carried out once. */
  async function takeAsked(attempt: LinkAttempt): Promise<AskedBefore[]> {
    // What is taken is not carried out again, and a stop that takes too long is cut short.
    if (stopping) return [];
    const asked = new Map<string, AskedBefore>();
    for (const one of await attempts.takeRequests(attempt, earlier(clock.now(), linkLimits.waitingRequest))) {
      const { channelId } = one;
      const responseUrl = one.id === attempt.id ? attempt.responseUrl : null;
      const request = requestSchema.nullable().catch(null).parse(one.request);
      if (request !== null)
        asked.set(JSON.stringify([channelId, request]), { channelId, responseUrl, request });
    }
    return [...asked.values()];
  }

  const carryOut = (attempt: LinkAttempt) =>
    deps
      .carryOut({ person: personOf(attempt), takeAsked: () => takeAsked(attempt) })
      .catch(noteFailure('run the commands that waited for a link', attempt));

  /** Nobody would wait for what is begun after the stop. */
  async function unlessStopping(work: () => Promise<unknown>): Promise<void> {
    if (!stopping) await track(work());
  }

  const followUp: FollowUp = (attempt, made) =>
    unlessStopping(() =>
      Promise.all([
        confirm(attempt, made).catch(noteFailure('notify a person of their link', attempt)),
        deps.offers
          .replace(personOf(attempt), made.link.account)
          .catch(noteFailure('replace the offer of a link', attempt)),
        carryOut(attempt),
      ]),
    );

  return {
    followUp,

    /**
     * Does what a process left to do after it made a link: one that died, or that could not reach Slack. The person may be sent the message
     * twice if it died right after sending it. Runs every minute.
     */
    async followUpInterrupted(): Promise<void> {
      const now = clock.now();
      await forEachRow(
        await attempts.takeUnfinished(now, later(now, followUpMs)),
        async ({ attempt, receipt }) => {
          const link = await deps.links.of(attempt);
          if (link === null) return;
          if (receipt === null) await unlessStopping(() => carryOut(attempt));
          else await followUp(attempt, { outcome: 'linked', link, replaced: receipt.replaced });
        },
        (error, { attempt }) => noteFailure('follow up a link', attempt)(error),
      );
    },

    /** Follows up no more links, and settles once commands that waited for one are handed over. */
    async stop(): Promise<void> {
      stopping = true;
      await settled();
    },
  };
}
