import { minuteMs } from '../../lib/durations.ts';
import { doneForYou } from '../../messages/subscribing/answers.ts';
import { refused, tooManyTries } from '../../messages/subscribing/refusals.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/home-workspace.ts';
import { placeOf } from '../access/personal.ts';
import { Refusal } from '../access/refusal.ts';
import { requireMayChange, requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { mute } from '../channels/mute.ts';
import { link, typeCode } from '../linking/link-commands.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import type { Request } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { bareVerbRow, type Needs } from '../model/verbs.ts';
import type { SubscribeOptions } from '../subscribing/allowed-request.ts';
import { openFormHere } from '../subscribing/show-form.ts';
import { showList } from '../subscribing/show-list.ts';
import { subscribe } from '../subscribing/subscribe.ts';
import { askUnsubscribeAll, unsubscribeAll, unsubscribeOne } from '../subscribing/unsubscribe.ts';
import type { RequestsRoomDeps } from './requests-deps.ts';

const commandLimit = { most: 30, withinMs: minuteMs };

type CarryOutDeps = RequestsRoomDeps & { readonly requireAdmission: RequireAdmission };

/** Throws a `Refusal` unless the person is a full member of the workspace and is within the rate limit. */
export type RequireAdmission = (context: CommandContext) => Promise<void>;

export function makeRequireAdmission(deps: RequestsRoomDeps): RequireAdmission {
  return async (context) => {
    const { person } = context;
    // Counted over all processes.
    const allowance = await deps.commandTries.take(person, commandLimit, deps.clock.now());
    if (!allowance.allowed) throw new Refusal(context, tooManyTries(allowance.retryInSeconds));
    const { standing } = await deps.currentProfileOf(person);
    if (standing !== 'member')
      throw new Refusal(context, refused(standing === 'bot' ? 'stranger' : standing));
  };
}

/** Carries out a request: the one path for what was typed, chosen in a form, or stored while the person linked. */
export type CarryOutRequest = (
  context: CommandContext,
  request: Request,
  options?: SubscribeOptions,
) => Promise<void>;

export function makeCarryOut(deps: RequestsRoomDeps): CarryOutRequest {
  return async (asked, request, options) => {
    const placed = await placeOf(deps.bot, asked, request);
    // What is done for the person alone is announced in their direct messages, so it would be answered with silence where they typed it.
    const isSilent = placed.channelId !== asked.channelId && request.act !== 'open-form';
    let isAnswered = false;
    const reply: CommandContext['reply'] = (message, options) => {
      isAnswered = true;
      return placed.reply(message, options);
    };
    await act(isSilent ? { ...placed, reply } : placed, request, options);
    if (!isSilent || isAnswered) return;
    const line = asked.asTyped && (await withMentionsNamed(deps.profileOf, asked.person, asked.asTyped));
    await asked.reply(doneForYou(line ?? null));
  };

  async function act(placed: CommandContext, request: Request, options?: SubscribeOptions): Promise<void> {
    const context = isAboutChannel(request) ? await atHome(deps.bot, placed) : placed;
    const settings = await requireMayDo(deps.bot, context, request);
    switch (request.act) {
      case 'subscribe':
        return subscribe(deps.bot, context, request, { ...options, settings });
      case 'unsubscribe':
        return unsubscribeOne(deps.bot, context, request.target);
      case 'unsubscribe-all':
        return askUnsubscribeAll(deps.bot, context);
      case 'unsubscribe-list':
        return showList(deps.bot, context, { toRemove: true });
      case 'list':
        return showList(deps.bot, context, { toRemove: false });
      case 'link':
        return request.code === undefined
          ? link(deps.bot, context)
          : typeCode(deps.bot, context, request.code);
      case 'mute':
        return mute(deps.bot, context, request.minutes);
      case 'help':
        return deps.showHelp(context, request.topic);
      case 'open-form':
        // Without a trigger, Slack opens no form.
        return context.triggerId ? openFormHere(deps.bot, context) : deps.showHelp(context, 'subscribe');
      default:
        return deps.bareVerbs[request.act](context);
    }
  }
}

/**
 * Carries out what an admin has allowed. Asks no questions first, since the person may not be around to answer. They must still be in
 * the channel: the admin's answer may have taken days.
 */
export function makeCarryOutAllowed(
  deps: CarryOutDeps,
): (context: CommandContext, request: Request) => Promise<void> {
  return async (context, request) => {
    await deps.requireAdmission(context);
    await requireMaySee(deps.bot, context);
    switch (request.act) {
      case 'subscribe':
        return subscribe(deps.bot, context, request, { shared: true });
      case 'unsubscribe':
        return unsubscribeOne(deps.bot, context, request.target);
      case 'unsubscribe-all':
        return unsubscribeAll(deps.bot, context);
      case 'mute':
        return mute(deps.bot, context, request.minutes);
      case 'unmute':
        return deps.bareVerbs.unmute(context);
      default:
        throw new Error(`nobody has to allow ${request.act}`);
    }
  };
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
