import { isDeepStrictEqual } from 'node:util';
import {
  isSameSettings,
  type SettingsChange,
  subscriptionChanged,
  subscriptionResumed,
  subscriptionsWaiting,
  subscriptionTakenOver,
} from '../../messages/subscribing/announcements.ts';
import {
  alreadyGone,
  alreadySubscribed,
  settingUp,
  versionsUncertain,
} from '../../messages/subscribing/answers.ts';
import { scopeQuestion } from '../../messages/subscribing/questions.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import * as events from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import { keepAnswer, newKey } from '../access/kept-requests.ts';
import { whoOf } from '../access/people-names.ts';
import { Refusal } from '../access/refusal.ts';
import { namesIn } from '../access/shown-names.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { resume } from '../channels/pause-subscription.ts';
import { refreshHome } from '../home/show-home.ts';
import { requireLink } from '../linking/link-commands.ts';
import { contextFields } from '../model/log-fields.ts';
import { isOwnerReason, isPausedByPerson, waitsForOwner } from '../model/pause-reason.ts';
import { isDirect } from '../model/people.ts';
import { isRefusal, serviceFailure } from '../model/service-error.ts';
import { remoteScope, type StoredSettings, subscribedOf } from '../model/subscription.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import { deliveryFrom, filtersFrom } from '../model/typed-settings.ts';
import { type SettingsUndo, undoValue } from '../model/undo.ts';
import { settle } from '../settling/settle.ts';
import { place, type WantedRemote } from '../upstream/sync.ts';
import { type AllowedRequest, notePinged, requireFewItems, serviceRefusal } from './allowed-request.ts';
import { warnOfUnknownPaths } from './hints.ts';

/** The requested state of a subscription. */
type Wanted = StoredSettings & {
  readonly name: string | null;
  /** Identifies the change in its Undo button. */
  readonly undoKey: string;
};

/** A change to make. `stopped`: it ends a pause that takes a new remote subscription. */
type ChangeToMake = SettingsChange & { readonly wanted: Wanted; readonly stopped: boolean };

/**
 * Changes an existing subscription to what the request asks for. Its owner stays, unless another member takes it over once it has stopped,
 * or wants another scope and has agreed to become the owner. One that has stopped resumes with the link of its owner to be.
 */
export async function changeSubscription(
  bot: Bot,
  given: AllowedRequest,
  before: Subscription,
): Promise<void> {
  const wanted = wantedFrom(given, before);
  const mustAgree = takesScope(given, before, wanted) && !given.options.agreed;
  // What waits for a link is carried out without what was answered before.
  if (mustAgree) await requireLink(bot, given.context, given.request);
  await (mustAgree ? askAboutScope : change)(bot, given, before, wanted);
}

async function change(bot: Bot, given: AllowedRequest, before: Subscription, wanted: Wanted): Promise<void> {
  const { context } = given;
  const settings = await changeTo(bot, before, wanted);
  const same = isSameSettings(settings);
  const { stopped, resumes, staysPaused } = whatEnds(given, before, wanted);
  if (same && !stopped && !resumes) await context.reply(nothingToChange(before, settings.before));
  if (stopped || !same) {
    const isWritten = await write(bot, given, before, { ...settings, wanted, stopped });
    if (!isWritten) return withoutVersions(bot, given, before);
  }
  if (resumes) await resume(bot, context, before);
  if (staysPaused && !given.options.quiet) await replyPaused(bot, given, before);
  if (!isDeepStrictEqual(wanted.ping, before.ping)) await notePinged(bot, given, wanted.ping);
  await warnOfUnknownPaths(bot, given, wanted.filters);
}

/** Makes the rest of a change to a file whose project, and so its new versions, the service refuses to this person. */
async function withoutVersions(bot: Bot, given: AllowedRequest, before: Subscription): Promise<void> {
  if (!given.options.quiet) await given.context.reply(versionsUncertain);
  const request = { ...given.request, comprehensive: false };
  return changeSubscription(bot, { ...given, request }, before);
}

async function changeTo(bot: Bot, before: Subscription, wanted: Wanted): Promise<SettingsChange> {
  const names = new Map([...(await namesIn(bot, before, before)), ...(await namesIn(bot, before, wanted))]);
  return { before: { ...before, name: before.resourceName, names }, after: { ...wanted, names } };
}

/** Asks whether a member wants to own the subscription: another scope takes a new remote subscription, made with their link. */
async function askAboutScope(
  bot: Bot,
  { context, request }: AllowedRequest,
  before: Subscription,
  wanted: Wanted,
): Promise<void> {
  const owner = await whoOf(bot, before, before.ownerUserId);
  // Otherwise a time that stays would be read in the time zone of the person who agrees.
  const when = isDeepStrictEqual(wanted.delivery, before.delivery) ? undefined : request.when;
  const value = await keepAnswer(bot, { ...request, when }, { shared: true, agreed: true });
  const subscribed = subscribedOf(before);
  await context.reply(scopeQuestion({ owner, subscribed, comprehensive: wanted.comprehensive, value }));
}

/** Says how a member can take over a subscription that stays paused. */
async function replyPaused(bot: Bot, { context }: AllowedRequest, before: Subscription): Promise<void> {
  const { reason } = before;
  if (!isOwnerReason(reason)) return;
  const owner = await whoOf(bot, before, before.ownerUserId);
  const rows = [{ id: before.id, subscribed: subscribedOf(before) }];
  await context.reply(subscriptionsWaiting(rows, { reason, owner }, context.copy));
}

/**
 * Returns what the request does to a pause. `stopped`: it ends one that takes a new remote subscription. `resumes`: it ends one that a person
 * made. `staysPaused`: it ends none, because the subscription is somebody else's and has stopped.
 */
function whatEnds(given: AllowedRequest, before: Subscription, wanted: Wanted) {
  const mayRenew = isOwner(given, before) || given.request.takeOver || takesScope(given, before, wanted);
  return {
    stopped: waitsForOwner(before) && mayRenew === true,
    resumes: isPausedByPerson(before) && !given.options.staysPaused,
    staysPaused: waitsForOwner(before) && !mayRenew,
  };
}

type SettingsAsked = Pick<AllowedRequest, 'request' | 'profile' | 'options'>;

/** Returns whether a request would change the settings of a subscription. */
export function wouldChange(given: SettingsAsked, before: Subscription): boolean {
  const names = new Map<string, string>();
  const after = { ...wantedFrom(given, before), names };
  return !isSameSettings({ before: { ...before, name: before.resourceName, names }, after });
}

function wantedFrom({ request, profile, options }: SettingsAsked, before: Subscription): Wanted {
  const { name: typed = before.typedName, ping = before.ping } = request;
  const { typedName = typed } = options;
  return {
    filters: filtersFrom(request, before.filters),
    delivery: options.delivery ?? deliveryFrom(request, before.delivery, profile.zone),
    threads: request.threads ?? before.threads,
    ping,
    comprehensive: request.comprehensive,
    // The service's own name takes precedence over a typed one.
    name: before.resourceName === before.typedName ? typedName : before.resourceName,
    typedName,
    undoKey: newKey(),
  };
}

/**
 * Stores the change and its announcement. Throws a `Refusal` if the subscription was removed meanwhile, or the service refuses. Returns false
 * if it refuses the project of a file, which can still be followed by itself.
 */
async function write(
  bot: Bot,
  given: AllowedRequest,
  before: Subscription,
  asked: ChangeToMake,
): Promise<boolean> {
  const { context, by } = given;
  const { wanted, stopped } = asked;
  // The owner may have left the workspace.
  const from = isOwner(given, before) ? null : await whoOf(bot, before, before.ownerUserId);
  const renew = stopped || wanted.comprehensive !== before.comprehensive;
  if (renew && !isOwner(given, before)) await requireFewItems(bot, context, before);
  const keepsPause = before.state === 'paused' && !stopped;
  const change = {
    ...changesTo(before, wanted),
    // Like the scope, this belongs to the remote subscription.
    ownerUserId: renew ? context.person.userId : undefined,
    // Others that change meanwhile stay when this is undone.
    undo: { key: wanted.undoKey, before: changesTo(wanted, before) },
  };
  const store = async (bot: Bot): Promise<void> => {
    if (!(await subscriptions.change(bot.db, before.id, change, bot.clock.now())))
      throw new Refusal(context, alreadyGone);
    // Events held during the pause are posted in a summary.
    const held = stopped ? await events.countHeld(bot.db, before, before.id) : 0;
    // It also enqueues the lane for these events.
    const row = (await subscriptions.byId(bot.db, before.id)) ?? before;
    if (isSameSettings(asked)) {
      await announceResumed(bot, row, { by, from, held });
    } else {
      const subscribed = subscribedOf({ ...before, comprehensive: wanted.comprehensive });
      const undo = undoValue(row.id, bot.clock.now(), wanted.undoKey);
      const isTaken = takesScope(given, before, wanted);
      const changed = { id: row.id, by, from: isTaken ? from : null, subscribed, change: asked };
      await announce(bot, row, subscriptionChanged({ ...changed, undoValue: undo }));
    }
    await writeAudit(bot, context, 'change subscription', before.id);
    if (stopped) {
      const { reason } = before;
      bot.log.info({ ...contextFields(context), subscription: before.id, reason }, 'resumed');
    }
    // Otherwise live events would be posted before those that the digest held.
    if (wanted.delivery.when === 'live' && !keepsPause) {
      await events.releaseDigest(bot.db, before, [before.id]);
    }
  };
  if (!renew) await settle(bot, before, store);
  else if (!(await renewed(bot, given, before, { ...wanted, anew: stopped, keepsPause, store })))
    return false;
  await refreshHome(bot, context.person);
  return true;
}

/** Announces who continues a subscription that had stopped: its owner, or the person who takes it over. */
async function announceResumed(
  bot: Bot,
  row: Subscription,
  { by, from, held }: { readonly by: Who; readonly from: Who | null; readonly held: number },
): Promise<void> {
  const subscribed = subscribedOf(row);
  if (from) return announce(bot, row, subscriptionTakenOver({ by, from, subscribed }));
  // If nothing was held, the service may have stopped sending. Otherwise the summary is a part of it.
  const missed = held > 0 ? held : null;
  await announce(bot, row, subscriptionResumed(subscribed, missed, by), resumedOneSubject(row.id));
}

/** Replaces a row's remote subscription, using the link of the person who asks. Returns and throws as `write` does. */
async function renewed(
  bot: Bot,
  given: AllowedRequest,
  before: Subscription,
  wanted: Pick<WantedRemote, 'comprehensive' | 'anew' | 'keepsPause' | 'store'>,
): Promise<boolean> {
  const { context, request } = given;
  const { target } = before;
  const { comprehensive, anew, keepsPause, store } = wanted;
  const link = await requireLink(bot, context, request);
  const asked = { linkId: link.id, comprehensive, keepsPause, store, anew, overtakes: true, exactly: true };
  const replaced = await place(bot, before, asked).catch(async (error: unknown) => {
    const failure = serviceFailure(error);
    if (failure && isRefusal(failure.kind) && remoteScope({ target, comprehensive }).ifRefused)
      return 'project refused' as const;
    if (failure?.kind === 'unauthorized') await requireLink(bot, context, request);
    throw failure ? await serviceRefusal(bot, given, failure) : error;
  });
  if (replaced === 'ended') throw new Refusal(context, alreadyGone);
  if (replaced === 'busy') throw new Refusal(context, settingUp(subscribedOf(before)));
  return replaced === 'active';
}

function isOwner({ context }: AllowedRequest, { ownerUserId }: Subscription): boolean {
  return ownerUserId === context.person.userId;
}

/** Whether another member asks for another scope, which makes them the owner. */
function takesScope(
  given: AllowedRequest,
  before: Subscription,
  wanted: Pick<Wanted, 'comprehensive'>,
): boolean {
  return wanted.comprehensive !== before.comprehensive && !isOwner(given, before);
}

/** A subscription that is still being set up may fail; only the person who asked first is notified of the outcome. */
function nothingToChange(before: Subscription, settings: SettingsChange['before']): Message {
  const subscribed = subscribedOf(before);
  if (before.state === 'pending') return settingUp(subscribed);
  return alreadySubscribed({ id: before.id, subscribed, settings, personal: isDirect(before.channelId) });
}

/** Returns only what differs: the rest may be changing right now at the request of somebody else. */
function changesTo(
  before: StoredSettings,
  { filters, delivery, threads, ping, comprehensive, typedName }: StoredSettings,
): SettingsUndo['before'] {
  return {
    filters: isDeepStrictEqual(filters, before.filters) ? undefined : filters,
    delivery: isDeepStrictEqual(delivery, before.delivery) ? undefined : delivery,
    threads: threads === before.threads ? undefined : threads,
    ping: isDeepStrictEqual(ping, before.ping) ? undefined : ping,
    comprehensive: comprehensive === before.comprehensive ? undefined : comprehensive,
    typedName: typedName === before.typedName ? undefined : typedName,
  };
}
