import { minuteMs } from '../../lib/durations.ts';
import { type CodeFault, codeNotTaken } from '../../messages/linking/link-code.ts';
import {
  alreadyLinked,
  linked,
  linkOffer,
  linkStatus,
  replaceAccountQuestion,
} from '../../messages/linking/linking.ts';
import { nothingToUnlink, unlinked, unlinkQuestion } from '../../messages/linking/unlinking.ts';
import { accountKept, alreadyGone } from '../../messages/subscribing/answers.ts';
import { tooManyTries } from '../../messages/subscribing/refusals.ts';
import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import type { Link } from '../model/link.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import type { Request } from '../model/request.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { ConfirmReplace } from './confirm-replace.ts';
import type { CodeEntered, EnterCode } from './enter-code.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { StartLink } from './start-link.ts';
import type { Unlink } from './unlink.ts';

type LinkCommandsDeps = LinkingRoomDeps & {
  readonly startLink: StartLink;
  readonly enterCode: EnterCode;
  readonly confirmReplace: ConfirmReplace;
  readonly unlink: Unlink;
};

/** The commands and buttons for a person's link. */
export function makeLinkCommands(deps: LinkCommandsDeps) {
  /** Starts a link and returns its offer. The request runs once the link is made. */
  async function offer(
    context: CommandContext,
    request: Request,
    why: 'needed' | 'again' | 'asked',
  ): Promise<Message> {
    const started = await start(context, request);
    const line = context.asTyped ?? commandLine(formatRequest(request), context.copy.commands);
    const command =
      request.act === 'link' ? undefined : await withMentionsNamed(deps.profileOf, context.person, line);
    return linkOffer({ copy: context.copy, why, command, ...started });
  }

  async function answerEntered(
    context: CommandContext,
    entered: Exclude<CodeEntered, { outcome: 'refused' }>,
    { replace }: { readonly replace: boolean },
  ): Promise<void> {
    const copy = context.copy;
    if (entered.outcome === 'linked') {
      // The reply would be a direct message, and the receipt of the link, which is one too, says the same.
      if (context.responseUrl === null) return;
      return context.reply(linked(entered.link.account, copy), { replace });
    }
    const { oldAccount, newAccount, attemptId } = entered;
    const question = replaceAccountQuestion({ copy, oldAccount, newAccount, value: attemptId });
    return context.reply(question, { replace });
  }

  /** Throws a `Refusal` after too many tries. */
  async function start(context: CommandContext, request: Request): Promise<{ url: string; minutes: number }> {
    const { person, channelId, responseUrl } = context;
    const started = await deps.startLink({ person, channelId, responseUrl, request });
    if (started.outcome === 'too-many-tries') {
      throw new Refusal(context, tooManyTries(started.retryInSeconds));
    }
    const minutes = Math.round((started.expiresAt.getTime() - deps.clock.now().getTime()) / minuteMs);
    return { url: started.url, minutes };
  }

  return {
    /** Returns the person's link. If it does not work, throws a `Refusal` that offers a new one and carries the request. */
    async requireLink(context: CommandContext, request: Request): Promise<Link> {
      const link = await deps.links.of(context.person);
      if (link?.state === 'active') return link;
      throw new Refusal(context, await offer(context, request, link ? 'again' : 'needed'));
    },

    /** `/plancast link`. */
    async link(context: CommandContext): Promise<void> {
      const link = await deps.links.of(context.person);
      if (link?.state !== 'active') {
        return context.reply(await offer(context, { act: 'link' }, link ? 'again' : 'asked'));
      }
      const started = await start(context, { act: 'link' });
      await context.reply(alreadyLinked({ copy: context.copy, account: link.account, ...started }));
    },

    /** `/plancast link CODE`. */
    async code(context: CommandContext, code: string): Promise<void> {
      const entered = await deps.enterCode({ person: context.person, code });
      if (entered.outcome === 'refused') {
        return context.reply(codeNotTaken(entered.fault, context.copy));
      }
      return answerEntered(context, entered, { replace: false });
    },

    /**
     * The code form. Returns what is wrong with the code, or null if it was right. In that case the result replaces the offer whose
     * button opened the form, since that offer is used up.
     */
    async codeForm(context: CommandContext, code: string): Promise<CodeFault | null> {
      const entered = await deps.enterCode({ person: context.person, code });
      if (entered.outcome === 'refused') return entered.fault;
      await answerEntered(context, entered, { replace: true });
      return null;
    },

    /** The answer to whether a new account replaces the old one. */
    async replace(context: CommandContext, attemptId: string, use: 'new' | 'old'): Promise<void> {
      const answered = await deps.confirmReplace({ person: context.person, attemptId, use });
      switch (answered.outcome) {
        case 'linked':
          return context.reply(linked(answered.link.account, context.copy), {
            replace: true,
          });
        case 'kept':
          return context.reply(accountKept, { replace: true });
        case 'too-late':
          return context.reply(alreadyGone, { replace: true });
      }
    },

    /** `/plancast status`. */
    async status(context: CommandContext): Promise<void> {
      const link = await deps.links.of(context.person);
      const owned = await deps.subscriptions.ofOwner(context.person);
      await context.reply(linkStatus(link, owned.length, context.copy));
    },

    /** `/plancast unlink`: lists what stops, and asks. */
    async askUnlink(context: CommandContext): Promise<void> {
      const stops = await deps.unlink.listWhatStops(context.person);
      const copy = context.copy;
      if (!stops) return context.reply(nothingToUnlink(copy));
      await context.reply(
        unlinkQuestion(
          stops.link.account,
          stops.subscriptions.map((row) => ({
            subscribed: subscribedOf(row),
            channelId: row.channelId,
          })),
          copy,
        ),
      );
    },

    /** The confirmed unlinking. */
    async unlink(context: CommandContext): Promise<void> {
      const copy = context.copy;
      const stopped = (await deps.subscriptions.ofOwner(context.person)).length;
      const { outcome } = await deps.unlink.unlink(context.person);
      const answer = outcome === 'unlinked' ? unlinked(stopped, copy) : nothingToUnlink(copy);
      await context.reply(answer, { replace: true });
    },
  };
}

export type LinkCommands = ReturnType<typeof makeLinkCommands>;
