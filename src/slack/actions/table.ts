import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Asked } from '../../core/asked.ts';
import type { Admit } from '../../core/carry-out.ts';
import type { Reach } from '../../core/covers.ts';
import type { LinkCommands } from '../../core/link-commands.ts';
import { requestSchema } from '../../core/request.ts';
import type { ShowAll } from '../../core/show-all.ts';
import type { ShowList } from '../../core/show-list.ts';
import type { Subscribe } from '../../core/subscribe.ts';
import type { Unsubscribe } from '../../core/unsubscribe.ts';
import { actionIds } from '../../messages/action-ids.ts';
import { alreadyGone } from '../../messages/answers.ts';
import { linkCodeModal } from '../../messages/linking.ts';
import { readListPage } from '../../messages/lists.ts';
import type { Wording } from '../../messages/words.ts';
import type { Answer } from '../answer.ts';

/** A button that was pressed. */
export type Press = {
  readonly asked: Asked;
  readonly value: string;
  readonly triggerId: string | null;
  /** Of the message the button is in, where it is in one. */
  readonly messageTs: string | null;
  /** The form the button is in, where it is in one. */
  readonly view: { readonly id: string; readonly metadata: string } | null;
  readonly client: WebClient;
};

export type ActionDeps = {
  readonly admit: Admit;
  readonly answer: Answer;
  readonly links: LinkCommands;
  readonly subscribe: Subscribe;
  readonly unsubscribe: Unsubscribe;
  readonly showList: ShowList;
  readonly showAll: ShowAll;
  readonly wording: (asked: Asked) => Wording;
  /** A live subscription of the asking person's workspace. */
  readonly subscriptionOf: (
    asked: Asked,
    id: string,
  ) => Promise<(Reach & { readonly channelId: string }) | null>;
};

type Handler = (press: Press) => Promise<void>;

/** What each button does, by its `action_id`. */
export function actionTable(deps: ActionDeps): Readonly<Record<string, Handler>> {
  const { links, subscribe, unsubscribe, showList } = deps;

  /** Slack takes the answer to a question in the question's own place. */
  const replacing = ({ asked }: Press): Asked => ({
    ...asked,
    reply: (message) => asked.reply(message, { replace: true }),
  });
  const takeAway = async ({ asked }: Press): Promise<void> => {
    if (asked.responseUrl !== null) await deps.answer(asked.responseUrl, null, { remove: true });
  };
  const admitted =
    (handler: Handler): Handler =>
    async (press) => {
      if (await deps.admit(press.asked)) await handler(press);
    };
  const subscribeTo =
    (options: { anyway: boolean }): Handler =>
    async (press) => {
      const request = readRequest(press.value);
      if (request?.act !== 'subscribe') return press.asked.reply(alreadyGone(), { replace: true });
      await takeAway(press);
      await subscribe(press.asked, request, options);
    };
  const turnPage: Handler = async ({ asked, value }) => {
    const to = readListPage(value);
    if (to) await showList(asked, { toRemove: to.purpose === 'unsubscribe', page: to.page, replace: true });
  };
  const openCodeForm: Handler = async ({ asked, triggerId, client }) => {
    if (triggerId === null) return;
    const { channelId, responseUrl } = asked;
    const metadata = JSON.stringify({ channelId, responseUrl });
    const view = linkCodeModal({ wording: deps.wording(asked), metadata });
    await client.views.open({ trigger_id: triggerId, view });
  };

  const turnShowAll: Handler = async ({ asked, value, view, client }) => {
    const shown = view && showAllSchema.safeParse(parseJson(view.metadata));
    if (!view || !shown?.success) return;
    const { channelId, messageTs } = shown.data;
    const next = await deps.showAll({ ...asked, channelId }, { messageTs, page: Number(value) });
    await client.views.update({ view_id: view.id, view: next });
  };

  return {
    // The browser opens by itself; Slack only tells.
    [actionIds.linkOpen]: async () => {},
    [actionIds.enterLinkCode]: admitted(openCodeForm),
    [actionIds.linkReplaceConfirm]: admitted(({ asked, value }) => links.replace(asked, value, 'new')),
    [actionIds.linkReplaceCancel]: admitted(({ asked, value }) => links.replace(asked, value, 'old')),
    [actionIds.unlinkAsk]: admitted(({ asked }) => links.askUnlink(asked)),
    [actionIds.unlinkConfirm]: admitted(({ asked }) => links.unlink(asked)),
    [actionIds.subscribeKind]: admitted(subscribeTo({ anyway: false })),
    [actionIds.subscribeAnyway]: admitted(subscribeTo({ anyway: true })),
    [actionIds.subscriptionRemove]: admitted(async (press) => {
      if (!isUuid(press.value)) return press.asked.reply(alreadyGone());
      await unsubscribe.byId(press.asked, press.value);
      await showList(press.asked, { toRemove: true, replace: true });
    }),
    [actionIds.subscriptionTakeOver]: admitted(async ({ asked, value }) => {
      const found = isUuid(value) ? await deps.subscriptionOf(asked, value) : null;
      if (found?.channelId !== asked.channelId) return asked.reply(alreadyGone());
      const { target, comprehensive } = found;
      await subscribe(asked, { act: 'subscribe', target, comprehensive, filters: {} });
    }),
    [actionIds.unsubscribeAllConfirm]: admitted(async (press) => {
      await takeAway(press);
      await unsubscribe.all(replacing(press));
    }),
    [actionIds.listPrevious]: admitted(turnPage),
    [actionIds.listNext]: admitted(turnPage),
    [actionIds.showAll]: admitted(async ({ asked, triggerId, messageTs, client }) => {
      if (triggerId === null || messageTs === null) return;
      const view = await deps.showAll(asked, { messageTs, page: 0 });
      await client.views.open({ trigger_id: triggerId, view });
    }),
    [actionIds.showAllPrevious]: admitted(turnShowAll),
    [actionIds.showAllNext]: admitted(turnShowAll),
    [actionIds.dismiss]: takeAway,
  };
}

/** What the form of all changes keeps of the message it lists. */
const showAllSchema = z.object({ channelId: z.string(), messageTs: z.string() });

/** What comes back in a button is ours only if Slack's caller is; Postgres would fail on anything but a UUID. */
function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success;
}

function readRequest(value: string) {
  const parsed = requestSchema.safeParse(parseJson(value));
  return parsed.success ? parsed.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
