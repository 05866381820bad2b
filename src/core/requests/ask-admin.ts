import {
  adminsAsked,
  adminsNotAsked,
  onlyAdmins,
  requestAnswered,
  requestOutcome,
  requestToAdmin,
  requestTooOld,
} from '../../messages/admin/requests.ts';
import type { Who, Wording } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { AdminRequest, Requests } from '../../store/tables/requests.ts';
import type { AdminsOf } from '../access/admins.ts';
import type { Asked } from '../access/command-context.ts';
import type { Clock } from '../model/clock.ts';
import type { Channel, ProfileOf, SlackPerson } from '../model/people.ts';
import {
  type CommandNames,
  commandLine,
  formatRequest,
  type Request,
  requestSchema,
} from '../model/request.ts';

export type AskAdminDeps = {
  readonly clock: Clock;
  readonly requests: Pick<Requests, 'offered' | 'waiting' | 'ask' | 'takeBack' | 'answer' | 'ofWorkspace'>;
  readonly adminsOf: AdminsOf;
  readonly profileOf: ProfileOf;
  readonly directMessage: (person: SlackPerson, message: Message) => Promise<void>;
  /** Whether people of other organisations are in a channel; throws where Slack does not say. */
  readonly isShared: (channel: Channel) => Promise<boolean>;
  /** Asks in the name of somebody who is not there; answers go to them by direct message. */
  readonly askedBy: (person: SlackPerson, channelId: string) => Asked;
  /** Does what was allowed, without asking anything first. */
  readonly carryOutAllowed: (asked: Asked, request: Request) => Promise<void>;
  readonly audit: (asked: Asked, act: string, subject: string) => Promise<void>;
  readonly wording: (asked: Asked) => Wording;
  readonly log: { readonly warn: (fields: Record<string, unknown>, message: string) => void };
};

/** An admin may take so long to answer. */
const answerWithinMs = 7 * 24 * 3_600_000;
/** Somebody's requests that wait at once; each goes to all admins. */
const mostWaiting = 5;

/** Has the admins of a workspace allow one thing, or not. */
export function makeAskAdmin(deps: AskAdminDeps) {
  const { clock, requests } = deps;
  const since = () => new Date(clock.now().getTime() - answerWithinMs);

  /** Brings what somebody may not do by themselves before the admins, by the id it was kept under. */
  async function ask(asked: Asked, id: string): Promise<void> {
    const offered = await requests.offered(asked.person, id);
    if (offered === null) return asked.reply(adminsNotAsked({ why: 'asked already' }));
    const { channelId, request } = offered;
    const waiting = await requests.waiting({ person: asked.person, channelId, request }, since());
    if (waiting.same) return asked.reply(adminsNotAsked({ why: 'asked already' }), { replace: true });
    if (waiting.count >= mostWaiting) return asked.reply(adminsNotAsked({ why: 'too many' }));
    if (!(await requests.ask(id))) return asked.reply(adminsNotAsked({ why: 'asked already' }));
    const count = await tellAdmins(asked, offered);
    if (count > 0) return asked.reply(adminsAsked({ count }), { replace: true });
    await requests.takeBack(id);
    return asked.reply(adminsNotAsked({ why: 'nobody there' }));
  }

  async function tellAdmins(asked: Asked, offered: AdminRequest): Promise<number> {
    const { person } = asked;
    const { id, channelId, request } = offered;
    const message = requestToAdmin({
      by: await whoIs(person, person.userId),
      channelId,
      // Once it is allowed nobody is asked about that any more.
      isShared: await deps.isShared(offered).catch(() => true),
      line: lineOf(request, asked.names),
      value: id,
      wording: deps.wording(asked),
    });
    const told = await Promise.allSettled(
      (await deps.adminsOf(person)).map(({ userId }) => deps.directMessage({ ...person, userId }, message)),
    );
    for (const each of told) {
      if (each.status === 'rejected')
        deps.log.warn({ err: each.reason, request: id }, 'an admin was not asked');
    }
    return told.filter(({ status }) => status === 'fulfilled').length;
  }

  /** An admin's answer. Of several only the first counts; what it allows is done as whoever asked. */
  async function answer(asked: Asked, id: string, as: 'allowed' | 'declined'): Promise<void> {
    if (!(await deps.profileOf(asked.person)).admin) return asked.reply(onlyAdmins());
    const now = clock.now();
    const answered = await requests.answer(asked.person, { id, as, since: since(), now });
    if (answered === null) return asked.reply(await answeredBefore(asked, id), { replace: true });
    const line = lineOf(answered.request, asked.names);
    const asker = await whoIs(asked.person, answered.userId);
    await deps.audit(asked, `${as} request`, id);
    await asked.reply(requestAnswered({ as, by: null, asker, line }), { replace: true });
    const person = personOf(answered);
    const by = await whoIs(asked.person, asked.person.userId);
    const outcome = requestOutcome({ as, by, channelId: answered.channelId, line });
    await deps
      .directMessage(person, outcome)
      .catch((error: unknown) => deps.log.warn({ err: error, request: id }, 'an answer was not told'));
    const request = requestSchema.safeParse(answered.request);
    if (as === 'declined' || !request.success) return;
    await deps.carryOutAllowed(deps.askedBy(person, answered.channelId), request.data);
  }

  async function answeredBefore(asked: Asked, id: string): Promise<Message> {
    const found = await requests.ofWorkspace(asked.person, id);
    if (found?.state !== 'allowed' && found?.state !== 'declined') return requestTooOld();
    const { person } = asked;
    return requestAnswered({
      as: found.state,
      by:
        found.answeredBy === null || found.answeredBy === person.userId
          ? null
          : await whoIs(person, found.answeredBy),
      asker: await whoIs(person, found.userId),
      line: lineOf(found.request, asked.names),
    });
  }

  /** An answer is worth having with a name missing. */
  async function whoIs(workspace: SlackPerson, userId: string): Promise<Who> {
    const profile = await deps.profileOf({ ...workspace, userId }).catch(() => null);
    return { userId, name: profile?.name ?? userId };
  }

  return { ask, answer };
}

export type AskAdmin = ReturnType<typeof makeAskAdmin>;

/** The request as it would be typed. What another release has stored, and this one cannot read, has no words. */
function lineOf(request: unknown, names: CommandNames): string {
  const read = requestSchema.safeParse(request);
  return read.success ? commandLine(formatRequest(read.data), names) : names.plancast;
}

function personOf({ enterpriseId, teamId, userId }: AdminRequest): SlackPerson {
  return { enterpriseId, teamId, userId };
}
