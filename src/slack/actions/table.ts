import { z } from 'zod';
import { showSettings } from '../../core/access/change-settings.ts';
import type { CommandContext } from '../../core/access/command-context.ts';
import { atHome } from '../../core/access/home-workspace.ts';
import { requireMayChange, requireMaySee } from '../../core/access/who-may.ts';
import type { Bot } from '../../core/bot.ts';
import { mute, unmute } from '../../core/channels/mute.ts';
import { setShowsAll } from '../../core/channels/shared-channel.ts';
import { showAll } from '../../core/delivering/show-all.ts';
import { refreshHome, showHome } from '../../core/home/show-home.ts';
import { link, pressOffer } from '../../core/linking/link-commands.ts';
import { contextFields } from '../../core/model/log-fields.ts';
import { answerRequest, askAdmins } from '../../core/requests/ask-admin.ts';
import { carryOut } from '../../core/requests/carry-out.ts';
import type { SubscribeOptions } from '../../core/subscribing/allowed-request.ts';
import { readRequest } from '../../core/subscribing/kept-requests.ts';
import { openFilledForm, openFormAnywhere } from '../../core/subscribing/show-form.ts';
import { showList } from '../../core/subscribing/show-list.ts';
import { subscribe } from '../../core/subscribing/subscribe.ts';
import { unsubscribeAll } from '../../core/subscribing/unsubscribe.ts';
import { askUnlink, confirmUnlink } from '../../core/upstream/unlink.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { linkCodeModal } from '../../messages/linking/link-code.ts';
import { replaceQuestionOver } from '../../messages/linking/linking.ts';
import { alreadyGone, nothingDone, tooLateToUndo } from '../../messages/subscribing/answers.ts';
import { readListPage } from '../../messages/subscribing/lists.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import { answerView } from '../../messages/text/modal.ts';
import { activityActions } from './activity-actions.ts';
import { exclusionActions } from './exclusion-actions.ts';
import { formActions } from './form-actions.ts';
import { admitting, type Handler, type Handlers, isUuid, type Press } from './press.ts';
import { remedyActions } from './remedy-actions.ts';
import { subscriptionActions } from './subscription-actions.ts';
import { workspaceActions } from './workspace-actions.ts';

/** The handlers of buttons and of fields that report a change, by `action_id`. */
export function actionTable(bot: Bot): Handlers {
  const { log, slack } = bot;
  const admitted = admitting(bot);

  /** Replies replace the message of the pressed button. */
  const replacing = ({ context }: Press): CommandContext => ({
    ...context,
    reply: (message) => context.reply(message, { replace: true }),
  });
  const takeAway = async ({ context, view, inPublicMessage }: Press): Promise<void> => {
    // Slack has no way for a bot to close a form.
    if (view) return context.reply(nothingDone);
    if (context.responseUrl === null || inPublicMessage) return;
    // After a second press the question is already gone. That must not stop, or seem to stop, what the button does.
    await slack.answer(context.responseUrl, null, { remove: true }).catch((error: unknown) => {
      log.warn({ err: error, ...contextFields(context) }, 'could not remove an answered question');
    });
  };
  const subscribeTo =
    (options: SubscribeOptions): Handler =>
    async (press) => {
      const request = await readRequest(bot, press.value);
      if (request?.act !== 'subscribe') return press.context.reply(alreadyGone, { replace: true });
      const settings = await requireMayChange(bot, press.context, request);
      await takeAway(press);
      await subscribe(bot, press.context, request, { ...options, settings });
    };
  const runCorrection: Handler = async (press) => {
    const request = await readRequest(bot, press.value);
    if (request === null) return press.context.reply(alreadyGone, { replace: true });
    await takeAway(press);
    await carryOut(bot, press.context, request);
  };
  const editTyped: Handler = async ({ context, value }) => {
    const request = await readRequest(bot, value);
    if (request?.act !== 'subscribe') return context.reply(alreadyGone, { replace: true });
    await openFilledForm(bot, context, request);
  };
  const showInShared = (all: boolean): Handler =>
    admitted(async ({ context }) => {
      await requireMayChange(bot, context, null);
      await setShowsAll(bot, context, all);
    });
  const turnPage: Handler = async ({ context, value }) => {
    const to = readListPage(value);
    if (!to) return;
    // A person who has left the channel can still have the list on screen.
    await requireMaySee(bot, context);
    await showList(bot, context, { toRemove: to.purpose === 'unsubscribe', page: to.page, replace: true });
  };
  const openCodeForm: Handler = async ({ context, view: below }) => {
    const { channelId, responseUrl } = context;
    const metadata = JSON.stringify({ channelId, responseUrl });
    const view = linkCodeModal(context.copy, metadata);
    // If a form is already open, push this one on top of it.
    await (below?.type === 'modal' ? slack.pushForm(context, view) : slack.openForm(context, view));
  };
  const endReplaceQuestion: Handler = ({ context }) =>
    context.reply(replaceQuestionOver(context.copy), { replace: true });
  const thenHome =
    (handler: Handler): Handler =>
    async (press) => {
      await handler(press);
      await refreshHome(bot, press.context.person);
    };

  /** Makes a handler that acts on the conversation that a button in the Home tab names, if the person may change it. */
  const onConversation = (act: (context: CommandContext) => Promise<void>): Handler =>
    admitted(
      thenHome(async ({ context, value }) => {
        const there = await atHome(bot, { ...context, channelId: value, madeInChannel: false });
        await requireMayChange(bot, there, null);
        await act(there);
      }),
    );

  const turnShowAll: Handler = async ({ context, value, view }) => {
    const shown = view && showAllSchema.safeParse(parseJson(view.private_metadata));
    if (!view || !shown?.success) return;
    const { channelId, messageTs } = shown.data;
    const there: CommandContext = {
      ...context,
      channelId,
      madeInChannel: false,
      // The form stays open when the person leaves the channel.
      reply: (message) => slack.updateForm(context, view.id, answerView(message)),
    };
    await requireMaySee(bot, there);
    const next = await showAll(bot, there, { messageTs, page: Number(value) });
    await slack.updateForm(context, view.id, next);
  };

  const turnHome = admitted(({ context, value }) => showHome(bot, context.person, readPage(value)));
  const onRequest = (act: (press: Press) => Promise<void>): Handler =>
    admitted((press) => (isUuid(press.value) ? act(press) : press.context.reply(alreadyGone)));

  const onSubscription = subscriptionActions(bot);

  return {
    // Slack opens the browser, and also reports the press.
    [actionIds.linkOpen]: async ({ context, inPublicMessage }) => {
      if (!inPublicMessage) await pressOffer(bot, context);
    },
    [actionIds.enterLinkCode]: admitted(openCodeForm),
    [actionIds.unlinkAsk]: admitted(({ context }) => askUnlink(bot, context)),
    [actionIds.unlinkConfirm]: admitted(thenHome(({ context }) => confirmUnlink(bot, context))),
    [actionIds.subscribeKind]: admitted(subscribeTo({})),
    [actionIds.subscribeShared]: admitted(subscribeTo({ shared: true })),
    [actionIds.subscribeScope]: admitted(subscribeTo({ shared: true, agreed: true })),
    // The question about a shared channel has been answered by now.
    [actionIds.subscribeFolderOnly]: admitted(subscribeTo({ shared: true })),
    [actionIds.runCorrection]: runCorrection,
    [actionIds.editTyped]: admitted(editTyped),
    [actionIds.sharedShowAll]: showInShared(true),
    [actionIds.sharedShowLess]: showInShared(false),
    [actionIds.unsubscribeAllConfirm]: admitted(async (press) => {
      await requireMayChange(bot, press.context, { act: 'unsubscribe-all' });
      await takeAway(press);
      await unsubscribeAll(bot, replacing(press));
    }),
    [actionIds.listPrevious]: admitted(turnPage),
    [actionIds.listNext]: admitted(turnPage),
    [actionIds.showAll]: admitted(async ({ context, messageTs }) => {
      if (messageTs === null) return;
      await requireMaySee(bot, context);
      const view = await showAll(bot, context, { messageTs, page: 0 });
      await slack.openForm(context, view);
    }),
    [actionIds.showAllPrevious]: admitted(turnShowAll),
    [actionIds.showAllNext]: admitted(turnShowAll),
    [actionIds.dismiss]: takeAway,
    [actionIds.homeLink]: admitted(({ context }) => link(bot, context)),
    [actionIds.homeUnlink]: admitted(({ context }) => askUnlink(bot, context)),
    [actionIds.homeFollow]: admitted(({ context }) => openFormAnywhere(bot, context)),
    // If the bot has never written to the person, this sends a message first: only Slack's response contains the id of the direct message.
    [actionIds.homeFollowPersonally]: ({ context }) =>
      carryOut(bot, context, { act: 'open-form', personal: true }),
    [actionIds.homeMute]: onConversation((context) => mute(bot, context, dayMs / minuteMs)),
    [actionIds.homeUnmute]: onConversation((context) => unmute(bot, context)),
    [actionIds.homePrevious]: turnHome,
    [actionIds.homeNext]: turnHome,
    [actionIds.askAdmin]: onRequest(({ context, value }) => askAdmins(bot, context, value)),
    [actionIds.requestAllow]: onRequest(({ context, value }) =>
      answerRequest(bot, context, value, 'allowed'),
    ),
    [actionIds.requestDecline]: onRequest(({ context, value }) =>
      answerRequest(bot, context, value, 'declined'),
    ),
    [actionIds.settingsOpen]: admitted(({ inOwnWorkspace }) => showSettings(bot, inOwnWorkspace)),
    // Buttons in messages of the last release.
    subscribe_anyway: admitted(subscribeTo({})),
    link_replace_confirm: admitted(endReplaceQuestion),
    link_replace_cancel: admitted(endReplaceQuestion),
    exclusion_undo: admitted(({ context }) => context.reply(tooLateToUndo())),
    ...onSubscription.handlers,
    ...activityActions(bot, onSubscription.edit),
    ...exclusionActions(bot, onSubscription.listAgain),
    ...formActions(bot),
    ...remedyActions(bot),
    ...workspaceActions(bot),
  };
}

/** The metadata of the Show all form: the message that it lists. */
const showAllSchema = z.object({ channelId: z.string(), messageTs: z.string() });
