import { minuteMs } from '../../lib/durations.ts';
import { alreadyGone, doneForYou, withTyped } from '../../messages/subscribing/answers.ts';
import { changeForgotten } from '../../messages/subscribing/exclusions.ts';
import { readListPage } from '../../messages/subscribing/lists.ts';
import { refused, tooManyTries } from '../../messages/subscribing/refusals.ts';
import * as commandTries from '../../store/tables/command-tries.ts';
import * as events from '../../store/tables/events.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import * as seenRequests from '../../store/tables/seen-requests.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { withMentionsNamed } from '../access/people-names.ts';
import { atHome, placeOf } from '../access/place.ts';
import { Refusal } from '../access/refusal.ts';
import { requireAdmin, requireMayChange, requireMaySee } from '../access/who-may.ts';
import { readScreen, showWorkspace } from '../administering/workspace.ts';
import type { Bot } from '../bot.ts';
import { shownEvent } from '../delivering/recall-changes.ts';
import { refreshHome, showHome } from '../home/show-home.ts';
import type { Act, AnyRequest } from '../model/any-request.ts';
import { typedLine } from '../model/format-request.ts';
import { type Channel, isDirect } from '../model/people.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { deliveryFrom } from '../model/typed-settings.ts';
import { editedRow } from '../subscribing/form-preview.ts';
import { type FilledForm, typedIn } from '../subscribing/show-form.ts';
import { showList } from '../subscribing/show-list.ts';
import { acts, takeAway } from './acts.ts';
import type { How, Next, Pressed, Row, Subject, What } from './row.ts';

const commandLimit = { most: 30, withinMs: minuteMs };

/** Throws a `Refusal` unless the person is a full member of the workspace and is within the rate limit. */
export async function requireAdmission({ db, clock, slack }: Bot, context: CommandContext): Promise<void> {
  const { person } = context;
  // Counted over all processes.
  const allowance = await commandTries.take(db, person, commandLimit, clock.now());
  if (!allowance.allowed) throw new Refusal(context, tooManyTries(allowance.retryInSeconds));
  const { standing } = await slack.currentProfileOf(person);
  if (standing !== 'member') throw new Refusal(context, refused(standing === 'bot' ? 'stranger' : standing));
}

/** Claims something that may happen once in so many milliseconds, a day at most; false if it happened within them, in any process. */
export const takeOnceIn = (bot: Bot, what: string, withinMs: number): Promise<boolean> =>
  seenRequests.takeAgain(bot.db, what, bot.clock.now(), withinMs);

/** Marks a Slack request as seen by what recognizes it; false if any process has seen it before. */
export const takeOnce = ({ db, clock }: Bot, id: string): Promise<boolean> =>
  seenRequests.take(db, id, clock.now());

/** Carries out a request, however it was made: the one path for all. Throws a `Refusal` unless the person has what the table of acts says. */
export async function carryOut(
  bot: Bot,
  context: CommandContext,
  request: AnyRequest,
  how?: How,
): Promise<void> {
  if (acts[request.act].needs !== 'nothing') await requireAdmission(bot, context);
  return carryOutAdmitted(bot, context, request, how);
}

/** Carries out a request of a person who was just admitted, as they must be before what they typed is read. */
export async function carryOutAdmitted(
  bot: Bot,
  asked: CommandContext,
  request: AnyRequest,
  how: How = {},
): Promise<void> {
  const placed = await placeOf(bot, asked, {
    isPersonal: 'personal' in request && request.personal === true,
    isAboutChannel: acts[request.act].about === 'channel',
  });
  // What is done for the person alone is announced in their direct messages, so it would be answered with silence where they typed it.
  const isSilent = placed.channelId !== asked.channelId && request.act !== 'open-form';
  let isAnswered = false;
  const reply: CommandContext['reply'] = (message, options) => {
    isAnswered = true;
    return placed.reply(message, options);
  };
  const next = await carryOutThere(bot, isSilent ? { ...placed, reply } : placed, request, how);
  if (next) {
    // An admin allows what another person asked for.
    const isOther = next.context.person.userId !== asked.person.userId;
    return (isOther ? carryOut : carryOutAdmitted)(bot, next.context, next.request, next).finally(next.done);
  }
  if (!isSilent || isAnswered) return;
  const line = asked.asTyped && (await withMentionsNamed(bot, asked.person, asked.asTyped));
  await asked.reply(doneForYou(line ?? null));
}

/** Carries out a request in the conversation of the context. Returns what it leads to. */
async function carryOutThere(
  bot: Bot,
  asked: CommandContext,
  request: AnyRequest,
  how: How,
): Promise<Next | null> {
  const row: Row = acts[request.act];
  const here = row.about === 'person' ? asked : await atHome(bot, asked);
  const place = await find(bot, here, { request, about: row.about, pressed: how.pressed });
  let next: Next | null = null;
  if (place === null) {
    await here.reply(row.about === 'event' ? changeForgotten : alreadyGone);
  } else {
    const { context, what } = place;
    const settings = await requireNeeds(bot, context, { row, request, what, pressed: how.pressed });
    if (how.question) await takeAway(bot, context, how.question);
    next = (await row.run(bot, context, what, { ...how, request, settings })) ?? null;
  }
  if (row.redraws) await redraw(bot, here, row.redraws, how.pressed);
  return next;
}

type Located<W> = { readonly context: CommandContext; readonly what: W };

/** Finds what a request is about, and its context; null if that no longer exists, or may not be acted on from where the person is. */
async function find(
  bot: Bot,
  context: CommandContext,
  asked: { request: AnyRequest; about: Subject; pressed: Pressed | undefined },
): Promise<Located<What<Act, Subject>> | null> {
  const { request, about, pressed } = asked;
  const { db } = bot;
  const { person } = context;
  const seq = 'seq' in request ? request.seq : '';
  switch (about) {
    case 'person':
    case 'channel':
      return { context, what: request };
    case 'event': {
      await requireMaySee(bot, context);
      const what = await shownEvent(bot, context, seq);
      return what && { context, what };
    }
    case 'subscription': {
      const id = 'id' in request ? request.id : await events.subscriptionIdOf(db, channelOf(context), seq);
      if (id === null) throw new Refusal(context, changeForgotten);
      return placed(bot, context, pressed, id ? await subscriptions.ofOrganization(db, person, id) : null);
    }
    case 'exclusion': {
      const id = 'id' in request ? request.id : undefined;
      return placed(bot, context, pressed, id ? await exclusions.ofOrganization(db, person, id) : null);
    }
  }
}

/**
 * Returns a row of the person's workspace, or another one of its organization, with the context in which its button acts: the row's channel,
 * where it is stored, even if pressed in the Home tab or another list. A list can be stale, and an id alone proves nothing. So it is null if
 * the button was pressed in a different channel, or if the row is of another workspace that does not share its channel.
 */
async function placed<Stored extends Channel>(
  bot: Bot,
  context: CommandContext,
  pressed: Pressed | undefined,
  what: Stored | null,
): Promise<Located<Stored> | null> {
  if (what === null) return null;
  const { teamId, channelId } = what;
  const isThere = !pressed?.view && context.madeInChannel && !isDirect(context.channelId);
  if (isThere && channelId !== context.channelId) return null;
  const here = isThere ? context : { ...context, channelId, madeInChannel: false };
  const there = teamId === here.person.teamId ? here : await atHome(bot, here);
  return there.person.teamId === teamId ? { context: there, what } : null;
}

/** Throws a `Refusal` unless the person may do what they ask for. Returns the workspace's settings if they were read. */
async function requireNeeds(
  bot: Bot,
  context: CommandContext,
  asked: { row: Row; request: AnyRequest; what: What<Act, Subject>; pressed: Pressed | undefined },
): Promise<WorkspaceSettings | undefined> {
  const { row, request, what, pressed } = asked;
  switch (row.needsFor?.(request) ?? row.needs) {
    case 'nothing':
    case 'member':
      return undefined;
    case 'see':
      await requireMaySee(bot, context);
      return undefined;
    case 'change':
      return requireMayChange(bot, context, row.asks?.(what, request) ?? null);
    case 'admin':
      // Someone who is no longer an admin still has an admin's screen open.
      await requireAdmin(bot, context).catch(async (error: unknown) => {
        if (pressed?.view?.type === 'home') await showHome(bot, context.person);
        throw error;
      });
      return undefined;
  }
}

/** Draws again what contains the button, or shows its result. */
async function redraw(
  bot: Bot,
  context: CommandContext,
  what: 'list' | 'home' | 'workspace',
  pressed: Pressed | undefined,
): Promise<void> {
  switch (what) {
    case 'home':
      return refreshHome(bot, context.person);
    case 'workspace': {
      const { view } = pressed ?? {};
      // Unless the person has moved on.
      if (view) await showWorkspace(bot, context.person, readScreen(view.private_metadata), view.hash);
      return;
    }
    case 'list': {
      const list = readListPage(pressed?.row ?? '');
      if (list?.place === 'home') return showHome(bot, context.person, list.page);
      if (list) return showList(bot, context, { purpose: list.place, page: list.page });
    }
  }
}

/** Does what the typed command would do, in the form's channel. */
export async function submitForm(
  bot: Bot,
  from: CommandContext,
  form: Pick<FilledForm, 'request' | 'formContext'>,
): Promise<void> {
  const { request, formContext } = form;
  const { changeId } = formContext;
  const context = await atHome(bot, from);
  if (changeId !== null) await editedRow(bot, context, changeId);
  const asTyped = typedLine(typedIn(form), context.copy.commands);
  // In the time zone that the form showed.
  const delivery = request.when && deliveryFrom(request, { when: 'live' }, formContext.zone);
  // The form is closed by now, so other replies repeat a new one as a command to run again.
  const reply: CommandContext['reply'] = (message, options) =>
    context.reply(changeId === null ? withTyped(message, asTyped) : message, options);
  await carryOutAdmitted(bot, { ...context, asTyped, reply }, request, {
    options: { delivery, staysPaused: changeId !== null },
  });
}
