import {
  alreadyLinked,
  type CodeFault,
  codeNotTaken,
  linked,
  linkOffer,
  linkStatus,
  nothingToUnlink,
  replaceAccountQuestion,
  unlinked,
  unlinkQuestion,
} from '../../messages/linking/linking.ts';
import { alreadyGone, tooManyTries } from '../../messages/subscribing/answers.ts';
import { accountKept } from '../../messages/subscribing/upkeep.ts';
import type { Wording } from '../../messages/text/copy.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Asked } from '../access/command-context.ts';
import type { Clock } from '../model/clock.ts';
import type { Link } from '../model/link.ts';
import type { Request } from '../model/request.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { ConfirmReplace } from './confirm-replace.ts';
import type { CodeEntered, EnterCode } from './enter-code.ts';
import type { StartLink } from './start-link.ts';
import type { Unlink } from './unlink.ts';

export type LinkCommandsDeps = {
  readonly clock: Clock;
  readonly links: Pick<Links, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'ofOwner'>;
  readonly startLink: StartLink;
  readonly enterCode: EnterCode;
  readonly confirmReplace: ConfirmReplace;
  readonly unlink: Unlink;
  readonly wording: (asked: Asked) => Wording;
};

/** What people do about their link by typing and clicking. */
export function makeLinkCommands(deps: LinkCommandsDeps) {
  /** Offers a link that, once made, carries the request out. Says so where they have tried too often. */
  async function offer(asked: Asked, request: Request, why: 'needed' | 'again' | 'asked'): Promise<void> {
    const started = await start(asked, request);
    if (!started) return;
    const carriesOn = why !== 'asked' && request.act !== 'link';
    await asked.reply(linkOffer({ wording: deps.wording(asked), why, carriesOn, ...started }));
  }

  async function answerEntered(
    asked: Asked,
    entered: Exclude<CodeEntered, { outcome: 'refused' }>,
    { replace }: { readonly replace: boolean },
  ): Promise<void> {
    const wording = deps.wording(asked);
    if (entered.outcome === 'linked') {
      return asked.reply(linked({ wording, account: entered.link.account }), { replace });
    }
    const { oldAccount, newAccount, attemptId } = entered;
    const question = replaceAccountQuestion({ wording, oldAccount, newAccount, value: attemptId });
    return asked.reply(question, { replace });
  }

  async function start(asked: Asked, request: Request): Promise<{ url: string; minutes: number } | null> {
    const { person, channelId, responseUrl } = asked;
    const started = await deps.startLink({ person, channelId, responseUrl, request });
    if (started.outcome === 'too-many-tries') {
      await asked.reply(tooManyTries(started.retryInSeconds));
      return null;
    }
    const minutes = Math.round((started.expiresAt.getTime() - deps.clock.now().getTime()) / 60_000);
    return { url: started.url, minutes };
  }

  return {
    /** The person's link where it works; else it is offered, and null. */
    async linkFor(asked: Asked, request: Request): Promise<Link | null> {
      const link = await deps.links.of(asked.person);
      if (link?.state === 'active') return link;
      await offer(asked, request, link ? 'again' : 'needed');
      return null;
    },

    /** `/plancast link`. */
    async link(asked: Asked): Promise<void> {
      const link = await deps.links.of(asked.person);
      if (link?.state !== 'active') return offer(asked, { act: 'link' }, link ? 'again' : 'asked');
      const started = await start(asked, { act: 'link' });
      if (!started) return;
      await asked.reply(alreadyLinked({ wording: deps.wording(asked), account: link.account, ...started }));
    },

    /** `/plancast link CODE`. */
    async code(asked: Asked, code: string): Promise<void> {
      const entered = await deps.enterCode({ person: asked.person, code });
      if (entered.outcome === 'refused') {
        return asked.reply(codeNotTaken({ fault: entered.fault, wording: deps.wording(asked) }));
      }
      return answerEntered(asked, entered, { replace: false });
    },

    /**
     * The code form: what was wrong with the code, or null where it was taken and what came of it is answered, in the place of the
     * offer whose button led to the form: that link is spent.
     */
    async codeForm(asked: Asked, code: string): Promise<CodeFault | null> {
      const entered = await deps.enterCode({ person: asked.person, code });
      if (entered.outcome === 'refused') return entered.fault;
      await answerEntered(asked, entered, { replace: true });
      return null;
    },

    /** The answer to whether a new account takes the place of the old one. */
    async replace(asked: Asked, attemptId: string, use: 'new' | 'old'): Promise<void> {
      const answered = await deps.confirmReplace({ person: asked.person, attemptId, use });
      switch (answered.outcome) {
        case 'linked':
          return asked.reply(linked({ wording: deps.wording(asked), account: answered.link.account }), {
            replace: true,
          });
        case 'kept':
          return asked.reply(accountKept(), { replace: true });
        case 'too-late':
          return asked.reply(alreadyGone(), { replace: true });
      }
    },

    /** `/plancast status`. */
    async status(asked: Asked): Promise<void> {
      const link = await deps.links.of(asked.person);
      const owned = await deps.subscriptions.ofOwner(asked.person);
      await asked.reply(
        linkStatus({
          wording: deps.wording(asked),
          state: link
            ? {
                kind: link.state === 'active' ? 'active' : 'again',
                account: link.account,
                linkedAt: link.linkedAt,
              }
            : { kind: 'none' },
          subscriptions: owned.length,
        }),
      );
    },

    /** `/plancast unlink`: lists what stops, and asks. */
    async askUnlink(asked: Asked): Promise<void> {
      const stops = await deps.unlink.listWhatStops(asked.person);
      const wording = deps.wording(asked);
      if (!stops) return asked.reply(nothingToUnlink({ wording }));
      await asked.reply(
        unlinkQuestion({
          wording,
          account: stops.link.account,
          stops: stops.subscriptions.map((row) => ({
            subscribed: subscribedOf(row),
            channelId: row.channelId,
          })),
        }),
      );
    },

    /** The confirmed unlinking. */
    async unlink(asked: Asked): Promise<void> {
      const wording = deps.wording(asked);
      const stopped = (await deps.subscriptions.ofOwner(asked.person)).length;
      const { outcome } = await deps.unlink.unlink(asked.person);
      const answer = outcome === 'unlinked' ? unlinked({ wording, stopped }) : nothingToUnlink({ wording });
      await asked.reply(answer, { replace: true });
    },
  };
}

export type LinkCommands = ReturnType<typeof makeLinkCommands>;
