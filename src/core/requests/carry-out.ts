import { help } from '../../messages/home/help.ts';
import { doneForYou } from '../../messages/subscribing/answers.ts';
import { showSettings } from '../access/change-settings.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/home-workspace.ts';
import { placeOf } from '../access/personal.ts';
import { requireMayChange, requireMaySee } from '../access/who-may.ts';
import { exportLines } from '../administering/export-lines.ts';
import { showImport } from '../administering/import-lines.ts';
import type { Bot } from '../bot.ts';
import { mute, unmute } from '../channels/mute.ts';
import { doctor } from '../explaining/doctor.ts';
import { whyChannel } from '../explaining/why.ts';
import { link, showStatus, typeCode } from '../linking/link-commands.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import type { Request } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type BareVerb, bareVerbRow, type Needs, type Verb } from '../model/verbs.ts';
import type { SubscribeOptions } from '../subscribing/allowed-request.ts';
import { openFormHere } from '../subscribing/show-form.ts';
import { showList } from '../subscribing/show-list.ts';
import { subscribe } from '../subscribing/subscribe.ts';
import { askUnsubscribeAll, unsubscribeAll, unsubscribeOne } from '../subscribing/unsubscribe.ts';
import { askUnlink } from '../upstream/unlink.ts';
import { requireAdmission } from './admission.ts';

/**
 * Carries out a request: the one path for what was typed, chosen in a form, or stored while the person linked. The person must be admitted
 * before what they typed is read.
 */
export async function carryOutAdmitted(
  bot: Bot,
  asked: CommandContext,
  request: Request,
  options?: SubscribeOptions,
): Promise<void> {
  const placed = await placeOf(bot, asked, request);
  // What is done for the person alone is announced in their direct messages, so it would be answered with silence where they typed it.
  const isSilent = placed.channelId !== asked.channelId && request.act !== 'open-form';
  let isAnswered = false;
  const reply: CommandContext['reply'] = (message, options) => {
    isAnswered = true;
    return placed.reply(message, options);
  };
  await act(bot, isSilent ? { ...placed, reply } : placed, request, options);
  if (!isSilent || isAnswered) return;
  const line = asked.asTyped && (await withMentionsNamed(bot.slack.profileOf, asked.person, asked.asTyped));
  await asked.reply(doneForYou(line ?? null));
}

/** Carries out a request of a person who was not admitted yet. */
export async function carryOut(bot: Bot, context: CommandContext, request: Request): Promise<void> {
  await requireAdmission(bot, context);
  return carryOutAdmitted(bot, context, request);
}

async function act(
  bot: Bot,
  placed: CommandContext,
  request: Request,
  options?: SubscribeOptions,
): Promise<void> {
  const context = isAboutChannel(request) ? await atHome(bot, placed) : placed;
  const settings = await requireMayDo(bot, context, request);
  switch (request.act) {
    case 'subscribe':
      return subscribe(bot, context, request, { ...options, settings });
    case 'unsubscribe':
      return unsubscribeOne(bot, context, request.target);
    case 'unsubscribe-all':
      return askUnsubscribeAll(bot, context);
    case 'unsubscribe-list':
      return showList(bot, context, { toRemove: true });
    case 'list':
      return showList(bot, context, { toRemove: false });
    case 'link':
      return request.code === undefined ? link(bot, context) : typeCode(bot, context, request.code);
    case 'mute':
      return mute(bot, context, request.minutes);
    case 'help':
      return showHelp(bot, context, request.topic);
    case 'open-form':
      // Without a trigger, Slack opens no form.
      return context.triggerId ? openFormHere(bot, context) : showHelp(bot, context, 'subscribe');
    default:
      return bareVerbs[request.act](bot, context);
  }
}

/** The use cases of verbs without arguments. */
const bareVerbs: Readonly<Record<BareVerb, (bot: Bot, context: CommandContext) => Promise<void>>> = {
  settings: showSettings,
  unlink: askUnlink,
  status: showStatus,
  unmute,
  why: whyChannel,
  doctor,
  export: exportLines,
  import: showImport,
};

/** Shows how commands are typed: all of them briefly, or one verb in detail. */
function showHelp({ config }: Bot, context: CommandContext, topic?: Verb): Promise<void> {
  const { copy } = context;
  return context.reply(help(config.helpEntries(topic, copy.commands), copy));
}

/**
 * Carries out what an admin has allowed. Asks no questions first, since the person may not be around to answer. They must still be in
 * the channel: the admin's answer may have taken days.
 */
export async function carryOutAllowed(bot: Bot, context: CommandContext, request: Request): Promise<void> {
  await requireAdmission(bot, context);
  await requireMaySee(bot, context);
  switch (request.act) {
    case 'subscribe':
      return subscribe(bot, context, request, { shared: true });
    case 'unsubscribe':
      return unsubscribeOne(bot, context, request.target);
    case 'unsubscribe-all':
      return unsubscribeAll(bot, context);
    case 'mute':
      return mute(bot, context, request.minutes);
    case 'unmute':
      return unmute(bot, context);
    default:
      throw new Error(`nobody has to allow ${request.act}`);
  }
}

/** Throws a `Refusal` unless the person is allowed to do this in the channel. Returns the workspace's settings if it read them. */
async function requireMayDo(
  bot: Bot,
  context: CommandContext,
  request: Request,
): Promise<WorkspaceSettings | undefined> {
  const needs = needsOf(request);
  if (needs === 'change') return requireMayChange(bot, context, request);
  if (needs === 'see') await requireMaySee(bot, context);
  return undefined;
}

/** Returns whether a request is about its channel, not about the person or their workspace, such as its settings. */
function isAboutChannel(request: Request): boolean {
  return needsOf(request) !== 'nothing' || request.act === 'open-form';
}

function needsOf(request: Request): Needs {
  switch (request.act) {
    case 'subscribe':
      // First the person is asked what a bare id stands for; whether they may subscribe is checked after they answer.
      return request.target.kind === 'unknown' ? 'see' : 'change';
    case 'unsubscribe':
    case 'unsubscribe-all':
    case 'mute':
      return 'change';
    case 'unsubscribe-list':
    case 'list':
      return 'see';
    case 'help':
    case 'link':
    case 'open-form':
      // The form is checked when it is submitted, because Slack requires it to open within three seconds.
      return 'nothing';
    default:
      return bareVerbRow(request.act).needs;
  }
}
