import { help } from '../../messages/home/help.ts';
import { nothingDone } from '../../messages/subscribing/answers.ts';
import { cannotFollow, itemDeleted } from '../../messages/subscribing/exclusions.ts';
import type { ListPurpose } from '../../messages/subscribing/lists.ts';
import { saveSettings, showSettings } from '../access/change-settings.ts';
import type { CommandContext } from '../access/command-context.ts';
import { exportLines } from '../administering/export-lines.ts';
import { showImport } from '../administering/import-lines.ts';
import { removeChannel, removePerson, showRemoveData } from '../administering/remove-data.ts';
import {
  type ManageAct,
  manage,
  readScreen,
  showAudit,
  showWorkspace,
  wholeWorkspace,
} from '../administering/workspace.ts';
import type { Bot } from '../bot.ts';
import { muteItem, type ShownEvent, showAgain, skipPerson } from '../channels/exclude.ts';
import { mute, setQuietHours, unmute } from '../channels/mute.ts';
import { pause, resume } from '../channels/pause-subscription.ts';
import { setShowsAll } from '../channels/shared-channel.ts';
import { listShown, showAll } from '../delivering/show-all.ts';
import { doctor, repairPosting, repairRemoteSubscription, replayDeadLetters } from '../explaining/doctor.ts';
import { catchUp, recap } from '../explaining/recap.ts';
import { whyChannel, whyMessage } from '../explaining/why.ts';
import { showHome } from '../home/show-home.ts';
import { link, openCodeForm, pressOffer, showStatus, typeCode } from '../linking/link-commands.ts';
import type { Act, RequestOf, WorkspaceFilter } from '../model/any-request.ts';
import { contextFields } from '../model/log-fields.ts';
import type { Request } from '../model/request.ts';
import { subscribeTo } from '../model/typed-settings.ts';
import type { Verb } from '../model/verbs.ts';
import { followLinks, followRequest } from '../subscribing/follow-links.ts';
import { openEditForm, openFilledForm, openTargetForm } from '../subscribing/show-form.ts';
import { showList } from '../subscribing/show-list.ts';
import { subscribe, takeOver, takeOverAll } from '../subscribing/subscribe.ts';
import { keepVolume, lowerVolume } from '../subscribing/too-much.ts';
import { undoChange, undoUnsubscribe } from '../subscribing/undo.ts';
import {
  askUnsubscribeAll,
  removeSubscriptions,
  unsubscribeAll,
  unsubscribeOne,
} from '../subscribing/unsubscribe.ts';
import { askUnlink, confirmUnlink } from '../upstream/unlink.ts';
import { answerRequest, askAdmins } from './ask-admin.ts';
import type { AnyRow, How, Next, Pressed, Row } from './row.ts';

/** Asks an admin for just what was typed. */
const itself = (request: Request): Request => request;
const ofEvent = ({ event }: ShownEvent): Request => subscribeTo(event.subscription);

/** Everything that a person can ask for, however they do. How arguments are parsed is in `src/core/model/request.ts` and `any-request.ts`. */
export const acts: { readonly [A in Act]: AnyRow<A> } = {
  // Subscribing.
  subscribe: {
    needs: 'change',
    // First the person is asked what a bare id stands for; whether they may subscribe is checked after they answer.
    needsFor: ({ target }) => (target.kind === 'unknown' ? 'see' : 'change'),
    about: 'channel',
    asks: itself,
    run: (bot, context, request, { options, settings }) =>
      subscribe(bot, context, request, { ...options, settings }),
  },
  // The form is checked when it is submitted, because Slack requires it to open within three seconds.
  'open-form': { needs: 'member', about: 'channel', run: openForm },
  'fill-form': {
    needs: 'member',
    about: 'channel',
    run: (bot, context, { request }) => openFilledForm(bot, context, request),
  },
  'follow-links': { needs: 'member', about: 'person', run: followLinks },
  'open-form-anywhere': {
    needs: 'member',
    about: 'person',
    run: (bot, context) => openTargetForm(bot, context, { anywhere: true }),
  },
  edit: { needs: 'change', about: 'subscription', asks: subscribeTo, run: openEditForm },
  'edit-shown': { needs: 'change', about: 'subscription', asks: subscribeTo, run: openEditForm },
  'take-over': {
    needs: 'change',
    about: 'subscription',
    asks: takeOver,
    redraws: 'list',
    run: (bot, context, row) => subscribe(bot, context, takeOver(row)),
  },
  'take-over-all': { needs: 'change', about: 'channel', asks: itself, redraws: 'list', run: takeOverAll },
  // What they follow is their own, so seeing the channel is enough.
  'follow-item': { needs: 'see', about: 'event', run: follow },
  'undo-change': {
    needs: 'change',
    about: 'subscription',
    asks: (row, { key }) => (key === '' ? { act: 'unsubscribe', target: row.target } : subscribeTo(row)),
    run: (bot, context, row, { request }) => undoChange(bot, context, row, request),
  },

  // Unsubscribing.
  unsubscribe: { needs: 'change', about: 'channel', asks: itself, run: unsubscribeOne },
  remove: {
    needs: 'change',
    about: 'subscription',
    asks: ({ target }) => ({ act: 'unsubscribe', target }),
    redraws: 'list',
    run: (bot, context, row) => removeSubscriptions(bot, context, [row]),
  },
  'unsubscribe-all': { needs: 'change', about: 'channel', asks: itself, run: askUnsubscribeAll },
  'remove-all': {
    needs: 'change',
    about: 'channel',
    asks: () => ({ act: 'unsubscribe-all' }),
    run: async (bot, context, _, { pressed }) => {
      await takeAway(bot, context, pressed);
      await unsubscribeAll(bot, context);
    },
  },
  // Each is checked by itself: an admin may have limited which projects can be followed.
  'undo-removal': { needs: 'see', about: 'channel', run: undoUnsubscribe },

  // What the channel gets.
  pause: {
    needs: 'change',
    about: 'subscription',
    redraws: 'list',
    run: (bot, context, row) => pause(bot, context, [row]),
  },
  resume: { needs: 'change', about: 'subscription', redraws: 'list', run: resume },
  mute: { needs: 'change', about: 'channel', asks: itself, run: mute },
  unmute: { needs: 'change', about: 'channel', asks: itself, run: unmute },
  quiet: {
    needs: 'change',
    // The form is checked when it is sent, as Slack opens it only within three seconds.
    needsFor: ({ hours }) => (hours === undefined ? 'see' : 'change'),
    about: 'channel',
    asks: itself,
    run: setQuietHours,
  },
  'mute-item': { needs: 'change', about: 'event', asks: ofEvent, run: muteItem },
  'hide-person': { needs: 'change', about: 'event', asks: ofEvent, run: skipPerson },
  'show-again': { needs: 'change', about: 'exclusion', redraws: 'list', run: showAgain },
  'show-in-shared': { needs: 'change', about: 'channel', run: setShowsAll },

  'lower-volume': {
    needs: 'change',
    about: 'subscription',
    asks: subscribeTo,
    run: (bot, context, row, { request }) => lowerVolume(bot, context, row, request),
  },
  'keep-volume': { needs: 'change', about: 'subscription', run: keepVolume },

  // Looking. A person who has left the channel can still have a list or form on screen.
  list: listFor('subscriptions'),
  'unsubscribe-list': listFor('unsubscribe'),
  'list-page': { needs: 'see', about: 'channel', run: showList },
  'show-all': { needs: 'see', about: 'channel', run: showChanges },
  why: { needs: 'see', about: 'channel', run: (bot, context) => whyChannel(bot, context) },
  'why-page': { needs: 'see', about: 'channel', run: whyChannel },
  'why-message': {
    needs: 'see',
    about: 'channel',
    run: async (bot, context, _, { pressed }) => {
      if (pressed?.messageTs)
        await whyMessage(bot, context, { messageTs: pressed.messageTs, isMine: pressed.isMine });
    },
  },
  activity: {
    needs: 'see',
    about: 'subscription',
    run: (bot, context, { id }) => whyChannel(bot, context, { only: id }),
  },
  recap: { needs: 'see', about: 'channel', run: recap },
  // Of channels that the person is in, which Slack says.
  'catch-up': { needs: 'member', about: 'person', run: (bot, context) => catchUp(bot, context) },
  doctor: { needs: 'see', about: 'channel', run: (bot, context) => doctor(bot, context) },
  'doctor-details': {
    needs: 'see',
    about: 'channel',
    run: (bot, context) => doctor(bot, context, { detailed: true }),
  },
  check: { needs: 'see', about: 'subscription', run: (bot, context) => doctor(bot, context) },
  help: { needs: 'member', about: 'person', run: showHelp },
  home: { needs: 'member', about: 'person', run: (bot, { person }, { page }) => showHome(bot, person, page) },

  // Repairing.
  'repair-posting': { needs: 'change', about: 'channel', run: repairPosting },
  'repair-remote': { needs: 'see', about: 'subscription', run: repairRemoteSubscription },
  'replay-dead': { needs: 'change', about: 'channel', run: replayDeadLetters },

  // The person's account.
  link: {
    needs: 'member',
    about: 'person',
    run: (bot, context, { code }) => (code === undefined ? link(bot, context) : typeCode(bot, context, code)),
  },
  // Slack opens the browser, and also reports the press.
  'open-link': {
    needs: 'nothing',
    about: 'person',
    run: async (bot, context, _, { pressed }) => {
      if (!pressed?.inPublicMessage) await pressOffer(bot, context);
    },
  },
  'enter-code': {
    needs: 'member',
    about: 'person',
    run: (bot, context, _, { pressed }) =>
      openCodeForm(bot, context, { onTop: pressed?.view?.type === 'modal' }),
  },
  status: { needs: 'member', about: 'person', run: showStatus },
  unlink: { needs: 'member', about: 'person', run: askUnlink },
  'unlink-now': { needs: 'member', about: 'person', redraws: 'home', run: confirmUnlink },
  export: { needs: 'member', about: 'person', run: exportLines },
  import: { needs: 'member', about: 'person', run: showImport },

  // What admins are asked, and do.
  settings: { needs: 'member', about: 'person', run: showSettings },
  'save-settings': { needs: 'admin', about: 'person', run: saveSettings },
  'ask-admin': { needs: 'see', about: 'channel', run: askAdmins },
  allow: { needs: 'admin', about: 'channel', run: answerRequest },
  decline: { needs: 'admin', about: 'channel', run: answerRequest },
  workspace: {
    needs: 'admin',
    about: 'person',
    run: (bot, { person }, { page, set }, { pressed }) => {
      if (page === undefined) return showWorkspace(bot, person, wholeWorkspace);
      return showWorkspace(bot, person, { filter: { ...filterOf(pressed), ...set }, page });
    },
  },
  'admin-pause': managed('pause'),
  'admin-resume': managed('resume'),
  'admin-remove': managed('remove'),
  audit: { needs: 'admin', about: 'person', run: showAudit },
  'remove-data': { needs: 'admin', about: 'person', run: showRemoveData },
  'remove-channel': { needs: 'admin', about: 'person', run: removeChannel },
  'remove-person': { needs: 'admin', about: 'person', run: removePerson },

  // What leads to another request, or to none.
  answer: {
    needs: 'member',
    about: 'channel',
    run: async (_, context, { request, shared, agreed }, { pressed }) => ({
      context,
      request,
      options: { shared, agreed },
      question: pressed,
    }),
  },
  'in-channel': {
    needs: 'member',
    about: 'person',
    run: async (_, context, { channelId, request }) => ({
      context: { ...context, channelId, madeInChannel: false },
      request,
    }),
  },
  dismiss: {
    needs: 'nothing',
    about: 'person',
    run: (bot, context, _, { pressed }) => takeAway(bot, context, pressed),
  },
};

function listFor(purpose: ListPurpose): Row<'list' | 'unsubscribe-list', 'channel'> {
  return { needs: 'see', about: 'channel', run: (bot, context) => showList(bot, context, { purpose }) };
}

function managed(act: ManageAct): Row<`admin-${ManageAct}`, 'person'> {
  return {
    needs: 'admin',
    about: 'person',
    redraws: 'workspace',
    run: (bot, context, { id }, { pressed }) => manage(bot, context, id ?? filterOf(pressed), act),
  };
}

/** Returns the filter of an admin's list. */
function filterOf(pressed: Pressed | undefined): WorkspaceFilter {
  return readScreen(pressed?.view?.private_metadata ?? '').filter;
}

function openForm(bot: Bot, context: CommandContext): Promise<void> {
  // Without a trigger, Slack opens no form.
  return context.triggerId ? openTargetForm(bot, context) : showHelp(bot, context, { topic: 'subscribe' });
}

/** Follows an item in the person's direct messages. */
async function follow(_: Bot, context: CommandContext, shown: ShownEvent): Promise<Next | null> {
  const request = followRequest(shown);
  if (!shown.isGone && request !== null) return { context, request };
  await context.reply(shown.isGone ? itemDeleted : cannotFollow);
  return null;
}

/** Lists every change of the message in a form, or another page of them in the same form. */
async function showChanges(
  bot: Bot,
  context: CommandContext,
  { page, newest }: RequestOf<'show-all'>,
  { pressed }: How,
): Promise<void> {
  if (!pressed?.messageTs) return;
  const { messageTs, view } = pressed;
  const shown = view && listShown(view.private_metadata);
  const order = newest ?? shown?.newest;
  const form = await showAll(bot, context, { messageTs, page, find: shown?.find, newest: order });
  await (view ? bot.slack.updateForm(context, view.id, form) : bot.slack.openForm(context, form));
}

/** Shows how commands are typed: all of them briefly, or one verb in detail. */
function showHelp(_: Bot, context: CommandContext, { topic }: { readonly topic?: Verb | undefined }) {
  return context.reply(help(topic, context.copy));
}

/** Removes the question whose button was pressed. */
export async function takeAway(
  { slack, log }: Bot,
  context: CommandContext,
  pressed: Pressed | undefined,
): Promise<void> {
  // Slack has no way for a bot to close a form.
  if (pressed?.view) return context.reply(nothingDone);
  if (context.responseUrl === null || pressed?.inPublicMessage) return;
  // After a second press the question is already gone. That must not stop, or seem to stop, what the button does.
  await slack.answer(context.responseUrl, null, { remove: true }).catch((error: unknown) => {
    log.warn({ err: error, ...contextFields(context) }, 'could not remove an answered question');
  });
}
