import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { earlier, hourMs, later, minuteMs } from '../../lib/durations.ts';
import { linkOffer } from '../../messages/linking/linking.ts';
import type { Message } from '../../messages/text/message.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import { withMentionsNamed } from '../access/people-names.ts';
import type { Bot } from '../bot.ts';
import { typedLine } from '../model/format-request.ts';
import type { Link, LinkAttempt } from '../model/link.ts';
import { personFields } from '../model/log-fields.ts';
import { type Profile, personOf, type SlackPerson } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';

/** How long the steps of linking last, in milliseconds, and how often they can be tried. */
export const linkLimits = {
  /** From the button in Slack to the page's Continue. */
  ticket: 10 * minuteMs,
  /** From Continue to the service's redirect back; the browser's cookie lives as long. */
  answer: 10 * minuteMs,
  /** To type the code in Slack. */
  code: 5 * minuteMs,
  codeTries: 5,
  /** How long the browser is shown how its attempt went. */
  page: 10 * minuteMs,
  /** A command that waits longer than this for a link is not carried out anymore. Slack accepts replies to it for as long. */
  waitingRequest: 30 * minuteMs,
  /** How long the process that made a link has to follow it up; afterwards another one does what it left. */
  followUp: minuteMs,
  /** Attempts that ended longer ago than this are deleted by the next cleanup. */
  keptAttempt: hourMs,
  /** How many attempts a person can start in what time. */
  starts: { most: 5, within: 10 * minuteMs },
} as const;

/** Who asked for a link in Slack, in words that let the person at the browser recognize themselves. */
export type Asker = { readonly personName: string; readonly workspaceName: string };

/** Looks up who asked. Throws if Slack cannot be asked. */
async function askerOf(
  { slack }: Bot,
  person: SlackPerson,
): Promise<{ readonly asker: Asker; readonly profile: Profile }> {
  const [profile, workspaceName] = await Promise.all([
    slack.currentProfileOf(person),
    slack.workspaceNameOf(person),
  ]);
  return { asker: { personName: profile.name, workspaceName }, profile };
}

/** Looks up who asked, to be named; null if Slack cannot be asked. */
export async function namedAsker(bot: Bot, person: SlackPerson) {
  try {
    return await askerOf(bot, person);
  } catch (error) {
    bot.log.warn({ err: error, ...personFields(person) }, 'could not look up who asked to be linked');
    return null;
  }
}

/** Where a person links, and for how long that works. */
export type StartedLink = { readonly url: string; readonly minutes: number };

/** Offers a person a link; the one offered before stops working. The page at `url` asks first. `retryInSeconds`: they have started too often. */
export async function startLink(
  { db, sealing, clock, config }: Bot,
  {
    replaces = null,
    ...input
  }: {
    readonly person: SlackPerson;
    readonly channelId: string | null;
    /** Where Slack accepts the reply to what was typed. */
    readonly responseUrl: string | null;
    /** What to run once the link is made; null if nothing. */
    readonly request: Request | null;
    /** The link that the person is offered to replace; null if it has to stay. */
    readonly replaces?: Link | null;
  },
): Promise<StartedLink | { readonly retryInSeconds: number }> {
  const now = clock.now();
  // It works once, and 128 bits cannot be guessed.
  const ticket = randomBytes(16).toString('base64url');
  const refusal = await attempts.add(db, sealing, {
    ...input,
    replaces,
    // A `link` request leaves nothing to run, and it can contain a code.
    request: input.request?.act === 'link' ? null : input.request,
    ticketHash: hashOf(ticket),
    now,
    expiresAt: later(now, linkLimits.ticket),
    limit: { since: earlier(now, linkLimits.starts.within), most: linkLimits.starts.most },
  });
  if (refusal !== null) {
    const seconds = Math.ceil((refusal.againAt.getTime() - now.getTime()) / 1_000);
    return { retryInSeconds: Math.max(seconds, 1) };
  }
  return { url: linkAddress(config, ticket), minutes: linkLimits.ticket / minuteMs };
}

/** Whether a message holds the address of a ticket. Anyone who has it can link, so it must not be stored. */
export function holdsTicket({ config }: Bot, { blocks }: Message): boolean {
  return JSON.stringify(blocks).includes(linkAddress(config, ''));
}

/** Returns the address of the page of a ticket. */
const linkAddress = ({ publicUrl }: Bot['config'], ticket: string): string => `${publicUrl}/link/${ticket}`;

/**
 * Why a ticket does not work.
 * - `unknown`: there is no such ticket, or it ended more than an hour ago
 * - `expired`: it was not used in time
 * - `used`: it was used already, and works only once
 * - `replaced`: its owner has asked for a newer one, or has unlinked since
 */
export type TicketFault = 'unknown' | 'expired' | 'used' | 'replaced';

/** The form of tickets; nothing else reaches the database. */
const ticketForm = /^[\w-]{22}$/;

/** Returns the attempt of a ticket, in any step; null if it is no ticket that ended in the last hour, or has not yet. */
async function attemptOf({ db, sealing, clock }: Bot, ticket: string): Promise<LinkAttempt | null> {
  if (!ticketForm.test(ticket)) return null;
  return attempts.byTicket(db, sealing, hashOf(ticket), earlier(clock.now(), linkLimits.keptAttempt));
}

/** Returns the attempt of a ticket that can be used, or why it cannot. Changes nothing. */
async function findTicket(bot: Bot, ticket: string): Promise<LinkAttempt | TicketFault> {
  const attempt = await attemptOf(bot, ticket);
  if (attempt === null) return 'unknown';
  if (attempt.used) return 'used';
  if (attempt.expiresAt <= bot.clock.now()) return 'expired';
  return attempt.step === 'offered' ? attempt : 'replaced';
}

/**
 * Returns what the page of a link shows: who asked for it, or why it shows nothing. Changes nothing, so link scanners and previews cannot
 * use up the ticket. Throws if Slack cannot be asked who wants the link, since nobody should agree without knowing that.
 */
export async function showTicket(bot: Bot, ticket: string): Promise<Asker | TicketFault | 'not-a-member'> {
  const found = await findTicket(bot, ticket);
  if (typeof found === 'string') return found;
  const { asker, profile } = await askerOf(bot, found);
  return profile.standing === 'member' ? asker : 'not-a-member';
}

/** Uses up a ticket and sends its browser to the service. Of several concurrent requests, only one is sent. */
export async function burnTicket(
  bot: Bot,
  ticket: string,
): Promise<
  | {
      /** The service's page that asks for consent. */
      readonly authorizationUrl: URL;
      /** Must be given to this browser only, for `cookieSeconds`: the service's callback counts only together with it. */
      readonly cookie: string;
      readonly cookieSeconds: number;
    }
  | TicketFault
> {
  const { db, sealing, clock, service } = bot;
  const found = await findTicket(bot, ticket);
  if (typeof found === 'string') return found;
  const { state, codeVerifier } = service.oauth.newAttempt();
  const authorizationUrl = await service.oauth.authorizationUrl({ state, codeVerifier });
  // It ties the attempt to this browser.
  const cookie = randomBytes(32).toString('base64url');
  const now = clock.now();
  const isOurs = await attempts.takeTicket(db, sealing, {
    id: found.id,
    stateHash: hashOf(state),
    cookieHash: hashOf(cookie),
    codeVerifier,
    now,
    expiresAt: later(now, linkLimits.answer),
  });
  return isOurs ? { authorizationUrl, cookie, cookieSeconds: linkLimits.answer / 1_000 } : 'used';
}

/**
 * Sends the person of a ticket a new link in a direct message, for the command that waited for the old one; at once, as a ticket must not be
 * stored. The caller learns nothing about the person: anyone can hold an old link. Throws if Slack cannot be reached.
 */
export async function sendNewLink(
  bot: Bot,
  ticket: string,
): Promise<'sent' | 'unknown' | 'not-a-member' | 'limited'> {
  const { copy } = bot.config;
  const attempt = await attemptOf(bot, ticket);
  if (attempt === null) return 'unknown';
  const person = personOf(attempt);
  if ((await bot.slack.currentProfileOf(person)).standing !== 'member') return 'not-a-member';

  // After a link, the command is carried out already.
  const waiting = attempt.step === 'done' ? null : attempt.request;
  const request = requestSchema.nullable().catch(null).parse(waiting);
  const link = await links.of(bot.db, person);
  const replaces = link?.state === 'active' ? link : null;
  const { channelId } = attempt;
  const started = await startLink(bot, { person, channelId, responseUrl: null, request, replaces });
  if ('retryInSeconds' in started) return 'limited';

  const offer = { copy, ...started };
  const line = request && typedLine(request, copy.commands);
  const command = line === null ? undefined : await withMentionsNamed(bot, person, line);
  await bot.slack.directMessage(
    person,
    replaces
      ? linkOffer({ ...offer, why: 'linked', account: replaces.account })
      : linkOffer({ ...offer, why: 'renewed', command }),
  );
  return 'sent';
}

/** Removes the tokens of expired attempts, and whole attempts an hour after their end. Runs every minute. */
export function cleanAttempts({ db, clock }: Bot): Promise<void> {
  const now = clock.now();
  return attempts.clean(db, now, earlier(now, linkLimits.keptAttempt));
}

/** Characters of codes that people type, without look-alikes. */
const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 6;

/** Returns the code that a person types in Slack, made from the cookie: only its browser can show it, and nothing but a hash is stored. */
export function codeOf(cookie: string): string {
  // The alphabet has 32 characters, so five bits of a byte choose one without bias.
  const bytes = hashOf(`link code of ${cookie}`).subarray(0, codeLength);
  return Array.from(bytes, (byte) => codeAlphabet[byte & 31]).join('');
}

/** SHA-256, stored in place of a secret that only has to be recognized. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares two hashes in constant time. */
export function sameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
