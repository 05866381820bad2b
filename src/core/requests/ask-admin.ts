import { dayMs, earlier } from '../../lib/durations.ts';
import {
  adminsAsked,
  adminsNotAsked,
  requestAnswered,
  requestOutcome,
  requestToAdmin,
  requestTooOld,
} from '../../messages/admin/requests.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { AdminRequest } from '../../store/tables/requests.ts';
import type { CommandContext } from '../access/command-context.ts';
import { isDiscreet } from '../access/shown-names.ts';
import { requireAdmin } from '../access/who-may.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { contextFields, personFields } from '../model/log-fields.ts';
import { whoOf, withMentionsNamed } from '../model/names-of.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';
import { shortPattern } from '../model/short-pattern.ts';
import type { RequestsRoomDeps } from './requests-deps.ts';

type AskAdminDeps = RequestsRoomDeps & {
  /** Carries out what was allowed, without asking questions first. */
  readonly carryOutAllowed: (context: CommandContext, request: Request) => Promise<void>;
};

/** How long an admin may take to answer, in milliseconds. */
const answerWithinMs = 7 * dayMs;
/** How many requests of one person can wait at once; each goes to all admins. */
const mostWaiting = 5;

/** Asks the admins of a workspace to allow or decline one request, and handles their answer. */
export function makeAskAdmin(deps: AskAdminDeps) {
  const { clock, requests } = deps;
  const since = () => earlier(clock.now(), answerWithinMs);

  /** Asks the admins to allow an offered request. `id`: under which the request was stored. */
  async function ask(context: CommandContext, id: string): Promise<void> {
    const offered = await requests.offered(context.person, id);
    if (offered === null) {
      const found = await requests.ofWorkspace(context.person, id);
      return context.reply(found === null ? requestTooOld : adminsNotAsked('asked already'));
    }
    const { channelId, request } = offered;
    const waiting = await requests.waiting({ person: context.person, channelId, request }, since());
    if (waiting.same) return context.reply(adminsNotAsked('asked already'), { replace: true });
    if (waiting.count >= mostWaiting) return context.reply(adminsNotAsked('too many'));
    if (!(await requests.ask(id))) return context.reply(adminsNotAsked('asked already'));
    const count = await notifyAdmins(context, offered);
    if (count > 0) return context.reply(adminsAsked(count), { replace: true });
    await requests.takeBack(id);
    return context.reply(adminsNotAsked('nobody there'));
  }

  async function notifyAdmins(context: CommandContext, offered: AdminRequest): Promise<number> {
    const { person } = context;
    const { id, channelId } = offered;
    const message = requestToAdmin({
      by: await whoIs(person, person.userId),
      channelId,
      // Once it is allowed, nobody is asked again about a shared channel.
      isShared: await deps.isShared(offered).catch(() => true),
      line: await lineOf(offered, context),
      value: id,
      copy: context.copy,
    });
    const asked = await Promise.allSettled(
      (await deps.adminsOf(person)).map(({ userId }) => deps.directMessage({ ...person, userId }, message)),
    );
    for (const each of asked) {
      if (each.status === 'rejected')
        deps.log.warn({ err: each.reason, request: id, ...contextFields(context) }, 'could not ask an admin');
    }
    return asked.filter(({ status }) => status === 'fulfilled').length;
  }

  /** Handles an admin's answer. Only the first one counts; what it allows is done in the name of the person who asked. */
  async function answer(context: CommandContext, id: string, as: 'allowed' | 'declined'): Promise<void> {
    await requireAdmin(deps.bot, context);
    const now = clock.now();
    const answered = await deps.inTransaction(async ({ requests, audit }) => {
      const row = await requests.answer(context.person, { id, as, since: since(), now });
      if (row !== null) await audit(context, `${as} request`, id);
      return row;
    });
    if (answered === null) return context.reply(await answeredBefore(context, id), { replace: true });
    const line = await lineOf(answered, context);
    const asker = await whoIs(context.person, answered.userId);
    await context.reply(requestAnswered({ as, by: null, asker, line }), { replace: true });
    const person = personOf(answered);
    const by = await whoIs(context.person, context.person.userId);
    const ownLine = await lineOf(answered, context, person.userId);
    const outcome = requestOutcome({ as, by, channelId: answered.channelId, line: ownLine });
    await deps
      .directMessage(person, outcome)
      .catch((error: unknown) =>
        deps.log.warn({ err: error, request: id, ...personFields(person) }, 'could not deliver an answer'),
      );
    const request = requestSchema.safeParse(answered.request);
    if (as === 'declined' || !request.success) return;
    await deps.carryOutAllowed(deps.askedBy(person, answered.channelId), request.data);
  }

  async function answeredBefore(context: CommandContext, id: string): Promise<Message> {
    const found = await requests.ofWorkspace(context.person, id);
    if (found?.state !== 'allowed' && found?.state !== 'declined') return requestTooOld;
    const { person } = context;
    return requestAnswered({
      as: found.state,
      by:
        found.answeredBy === null || found.answeredBy === person.userId
          ? null
          : await whoIs(person, found.answeredBy),
      asker: await whoIs(person, found.userId),
      line: await lineOf(found, context),
    });
  }

  /**
   * Returns the request as it would be typed. Only `asker`, the person who asked, reads `me` for their own name, and whole paths in a
   * channel where paths are shortened. If this release cannot read what another one stored, only the command's name is left.
   */
  async function lineOf(
    asked: AdminRequest,
    { person, copy }: Pick<CommandContext, 'person' | 'copy'>,
    asker: string | null = null,
  ): Promise<string> {
    const read = requestSchema.safeParse(asked.request);
    if (!read.success) return copy.commands.plancast;
    const isShort = asker === null && (await isDiscreet(deps.bot, asked));
    const line = commandLine(formatRequest(isShort ? withShortPaths(read.data) : read.data), copy.commands);
    return withMentionsNamed(deps.profileOf, { ...person, userId: asker }, line);
  }

  function whoIs(workspace: SlackPerson, userId: string): Promise<Who> {
    return whoOf(deps.profileOf, { ...workspace, userId });
  }

  return { ask, answer };
}

function withShortPaths(request: Request): Request {
  if (request.act !== 'subscribe') return request;
  return { ...request, filters: { ...request.filters, paths: request.filters.paths?.map(shortPattern) } };
}
