import { dayMs, earlier } from '../../lib/durations.ts';
import {
  adminsAsked,
  adminsNotAsked,
  requestAnswered,
  requestOutcome,
  requestToAdmin,
  requestTooOld,
} from '../../messages/admin/requests.ts';
import type { Message } from '../../messages/text/message.ts';
import type { ApprovalRequest } from '../../store/tables/requests.ts';
import * as requests from '../../store/tables/requests.ts';
import { writeAudit } from '../access/audit.ts';
import { type CommandContext, channelOf, contextFrom } from '../access/command-context.ts';
import { whoOf, withMentionsNamed } from '../access/people-names.ts';
import { isDiscreet } from '../access/shown-names.ts';
import { announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import type { RequestOf } from '../model/any-request.ts';
import { typedLine } from '../model/format-request.ts';
import { shortPattern } from '../model/patterns.ts';
import { type Channel, personOf } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';
import type { Next } from './row.ts';

/** How long an admin may take to answer, in milliseconds. */
const answerWithinMs = 7 * dayMs;
/** How many requests of one person can wait at once; each goes to all admins. */
const mostWaiting = 5;

const since = ({ clock }: Bot): Date => earlier(clock.now(), answerWithinMs);

/** Asks the admins to allow a request. */
export async function askAdmins(
  bot: Bot,
  context: CommandContext,
  { request }: RequestOf<'ask-admin'>,
): Promise<void> {
  const { person, channelId, copy } = context;
  const channel = channelOf(context);
  const admins = await bot.slack.adminsOf(person);
  if (admins.length === 0) return context.reply(adminsNotAsked('nobody there'));
  const question = {
    by: await whoOf(bot, person, person.userId),
    channelId,
    // Once it is allowed, nobody is asked again about a shared channel.
    isShared: await bot.slack.isShared(channel).catch(() => true),
    line: await lineOf(bot, { ...channel, request }, context),
    copy,
  };
  const asked = await inTransaction(bot, async (bot) => {
    const now = bot.clock.now();
    const limits = { since: since(bot), most: mostWaiting };
    const asked = await requests.ask(bot.db, { person, channelId, request, now }, limits);
    if ('why' in asked) return asked;
    const message = requestToAdmin({ ...question, value: asked.id });
    for (const { userId } of admins) await announceTo(bot, { ...person, userId }, message);
    return asked;
  });
  if ('why' in asked)
    return context.reply(adminsNotAsked(asked.why), { replace: asked.why === 'asked already' });
  await context.reply(adminsAsked(admins.length), { replace: true });
}

/** Handles an admin's answer. Only the first one counts. Returns what it allows, to be done in the name of the person who asked. */
export async function answerRequest(
  bot: Bot,
  context: CommandContext,
  { id, act }: RequestOf<'allow' | 'decline'>,
): Promise<Next | null> {
  const as = act === 'allow' ? ('allowed' as const) : ('declined' as const);
  const asked = await requests.ofWorkspace(bot.db, context.person, id);
  if (asked === null || !(await storeAnswer(bot, context, asked, as))) {
    await context.reply(await answeredBefore(bot, context, id), { replace: true });
    return null;
  }
  const line = await lineOf(bot, asked, context);
  const asker = await whoOf(bot, context.person, asked.userId);
  await context.reply(requestAnswered({ as, by: null, asker, line }), { replace: true });
  return as === 'allowed' ? allowedBy(bot, asked) : null;
}

/** Returns what an admin allowed, to be done in the name of the person who asked; null if this release cannot read it. */
export function allowedBy(bot: Bot, { id, channelId, ...asked }: ApprovalRequest): Next | null {
  const request = requestSchema.safeParse(asked.request);
  if (!request.success) return null;
  // The person may not be around to answer questions, and replies reach them by direct message. They must still be in the channel, since
  // the admin's answer may have taken days.
  return {
    context: contextFrom(bot, { person: personOf(asked), channelId }),
    // The admin has answered the question that would be asked first.
    request: request.data.act === 'unsubscribe-all' ? { act: 'remove-all' } : request.data,
    options: { shared: true },
    done: () => requests.carriedOut(bot.db, id),
  };
}

/** Stores an answer, and notifies the person who asked; false if there was an answer before, or it comes too late. */
async function storeAnswer(
  bot: Bot,
  context: CommandContext,
  asked: ApprovalRequest,
  as: 'allowed' | 'declined',
): Promise<boolean> {
  const { id, channelId, userId } = asked;
  const by = await whoOf(bot, context.person, context.person.userId);
  const outcome = requestOutcome({ as, by, channelId, line: await lineOf(bot, asked, context, userId) });
  return inTransaction(bot, async (bot) => {
    const given = { id, as, since: since(bot), now: bot.clock.now() };
    if (!(await requests.answer(bot.db, context.person, given))) return false;
    await writeAudit(bot, context, `${as} request`, id);
    await announceTo(bot, personOf(asked), outcome);
    return true;
  });
}

async function answeredBefore(bot: Bot, context: CommandContext, id: string): Promise<Message> {
  const found = await requests.ofWorkspace(bot.db, context.person, id);
  if (found?.state !== 'allowed' && found?.state !== 'declined') return requestTooOld;
  const { person } = context;
  return requestAnswered({
    as: found.state,
    by:
      found.answeredBy === null || found.answeredBy === person.userId
        ? null
        : await whoOf(bot, person, found.answeredBy),
    asker: await whoOf(bot, person, found.userId),
    line: await lineOf(bot, found, context),
  });
}

/** Returns the request as it would be typed. Only `asker` reads `me` for their own name, and whole paths where paths are shortened. */
async function lineOf(
  bot: Bot,
  asked: Channel & Pick<ApprovalRequest, 'request'>,
  { person, copy }: Pick<CommandContext, 'person' | 'copy'>,
  asker: string | null = null,
): Promise<string> {
  const read = requestSchema.safeParse(asked.request);
  if (!read.success) return copy.commands.plancast;
  const isShort = asker === null && (await isDiscreet(bot, asked));
  const line = typedLine(isShort ? withShortPaths(read.data) : read.data, copy.commands);
  return withMentionsNamed(bot, { ...person, userId: asker }, line);
}

function withShortPaths(request: Request): Request {
  if (request.act !== 'subscribe') return request;
  return { ...request, filters: { ...request.filters, paths: request.filters.paths?.map(shortPattern) } };
}
