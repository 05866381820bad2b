import {
  alreadyGone,
  beingSetUp,
  postedAlready,
  versionsUncertain,
} from '../../messages/subscribing/answers.ts';
import { sharedChannelQuestion } from '../../messages/subscribing/questions.ts';
import { cannotPing, sharedNotAllowed } from '../../messages/subscribing/refusals.ts';
import { isKeyMissing } from '../../store/sealing/sealing.ts';
import { lookAgain } from '../../store/tables/departures.ts';
import * as storedSettings from '../../store/tables/settings.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { keepAnswer } from '../access/kept-requests.ts';
import { answerRefusal, Refusal } from '../access/refusal.ts';
import { requireMayChange } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { requirePostable } from '../channels/channel-facts.ts';
import { announceShared, checkShared } from '../channels/shared-channel.ts';
import { refreshHome } from '../home/show-home.ts';
import { requireLink } from '../linking/link-commands.ts';
import type { RequestOf } from '../model/any-request.ts';
import type { Link } from '../model/link.ts';
import { waitsForOwner } from '../model/pause-reason.ts';
import { isDirect } from '../model/people.ts';
import type { SubscribeRequest, TypedWhen } from '../model/request.ts';
import { mayPass, serviceFailure } from '../model/service-error.ts';
import { targetsOf } from '../model/service-urls.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { subscribedOf } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters, subscribeTo } from '../model/typed-settings.ts';
import { placeNew } from '../upstream/sync.ts';
import {
  type AllowedRequest,
  notePinged,
  requireFewItems,
  type SubscribeOptions,
  serviceRefusal,
  type TargetedRequest,
  whyNotPingable,
} from './allowed-request.ts';
import { changeSubscription } from './change-subscription.ts';
import { warnOfUnknownPaths, widerSubscription } from './hints.ts';
import { askWhatKind } from './read-with-known.ts';

/** Subscribes a channel to a resource, or changes an existing subscription. */
export async function subscribe(
  bot: Bot,
  context: CommandContext,
  request: SubscribeRequest,
  options: SubscribeOptions = {},
): Promise<void> {
  const { target } = request;
  if (target.kind === 'unknown') return subscribeToId(bot, context, { request, options }, target.id);
  const targeted: TargetedRequest = { ...request, target };
  await requirePostable(bot, context, options.wasKept ? null : targeted);
  const channel = channelOf(context);
  const before = await subscriptions.ofTarget(bot.db, channel, target);
  // What they agreed to change was removed meanwhile.
  if (before === null && options.agreed) return context.reply(alreadyGone);
  const profile = await bot.slack.profileOf(context.person);
  const { userId } = context.person;
  const by = { userId, name: profile.name, isReader: isDirect(context.channelId) };
  const given = { context, request: targeted, profile, by, options };
  const unpingable = await whyNotPingable(bot, context, request.ping);
  if (unpingable) throw new Refusal(context, cannotPing(unpingable));
  if (before) return changeSubscription(bot, given, before);
  const link = await requireLink(bot, context, request);
  const settings = options.settings ?? (await storedSettings.of(bot.db, channel));
  if (!(await maySubscribeShared(bot, given, settings))) return;
  return make(bot, { ...given, link }, settings.delivery);
}

/** Returns whether the channel can be subscribed as far as other organizations are in it; if not, asks to confirm, or throws a `Refusal`. */
async function maySubscribeShared(
  bot: Bot,
  { context, request, options }: AllowedRequest,
  { sharing }: WorkspaceSettings,
): Promise<boolean> {
  const channel = channelOf(context);
  // Only its person reads a direct message with the bot.
  if (isDirect(channel.channelId) || !(await checkShared(bot, channel))) return true;
  if (sharing === 'ask' && options.shared) return true;
  if (sharing === 'never') throw new Refusal(context, sharedNotAllowed);
  const wanted = subscribedOf({ ...request, resourceName: request.name ?? null });
  await context.reply(sharedChannelQuestion(wanted, await keepAnswer(bot, request, { shared: true })));
  return false;
}

/** Changes the channel's subscription to what has this id, or asks whether the id is of a project or a session. */
async function subscribeToId(
  bot: Bot,
  context: CommandContext,
  { request, options }: Pick<AllowedRequest, 'options'> & { readonly request: SubscribeRequest },
  id: string,
): Promise<void> {
  const both = targetsOf({ kind: 'unknown', id });
  const channel = channelOf(context);
  const rows = await Promise.all(both.map((target) => subscriptions.ofTarget(bot.db, channel, target)));
  const [known, ...others] = rows.flatMap((row) => row?.target ?? []);
  if (known !== undefined && others.length === 0) {
    const targeted = { ...request, target: known };
    const settings = await requireMayChange(bot, context, targeted);
    return subscribe(bot, context, targeted, { ...options, settings });
  }
  await askWhatKind(bot, context, request, both);
}

async function make(
  bot: Bot,
  given: AllowedRequest & { readonly link: Link },
  usual: TypedWhen,
): Promise<void> {
  const { context, request, link, by } = given;
  const row = await subscriptions.add(bot.db, newRow(bot, given, usual));
  // Another person subscribed to the same at the same moment, so this request becomes a change of that subscription.
  if (!row) {
    const other = await subscriptions.ofTarget(bot.db, channelOf(context), request.target);
    return other ? changeSubscription(bot, given, other) : undefined;
  }
  await lookAgain(bot.db, row);
  // Only now, because several people's lines, or several of one person, may be carried out at once.
  await requireFewItems(bot, context, row).catch(async (error: unknown) => {
    await subscriptions.end(bot.db, [row.id], 'not made', bot.clock.now());
    throw error;
  });
  const created = await placeNew(bot, row, link.id, by).catch((error: unknown) =>
    failed(bot, given, row, error),
  );
  if (created !== 'active') return;
  await refreshHome(bot, context.person);
  if (!given.options.quiet) await mentionVersions(bot, context, row);
  if (!isDirect(row.channelId)) await announceShared(bot, row);
  if (!given.options.quiet) await mentionWider(bot, context, row);
  await notePinged(bot, given, row.ping);
  await warnOfUnknownPaths(bot, given, row.filters);
}

/** Says so if a file is followed by itself because the service refuses its project. */
async function mentionVersions(bot: Bot, context: CommandContext, wanted: Subscription): Promise<void> {
  const row = wanted.comprehensive ? await subscriptions.byId(bot.db, wanted.id) : null;
  if (row && !row.comprehensive) await context.reply(versionsUncertain);
}

/** Says where another subscription of the channel posts the same. */
async function mentionWider(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const wider = await widerSubscription(bot, row);
  if (wider === null) return;
  const [subscribed, covering] = [subscribedOf(row), subscribedOf(wider)];
  await context.reply(postedAlready({ id: row.id, subscribed, covering, delivery: wider.delivery }));
}

function newRow(
  bot: Bot,
  { context, request, profile, options }: AllowedRequest,
  usual: TypedWhen,
): subscriptions.NewSubscription {
  const { when = usual } = request;
  return {
    ...channelOf(context),
    ownerUserId: context.person.userId,
    target: request.target,
    comprehensive: request.comprehensive,
    filters: filtersFrom(request, noFilters),
    // Times are in the time zone of the person who subscribes.
    delivery: options.delivery ?? deliveryFrom({ when }, { when: 'live' }, profile.zone),
    threads: request.threads ?? false,
    ping: request.ping ?? null,
    typedName: request.name ?? undefined,
    lastEventAt: options.lastEventAt,
    now: bot.clock.now(),
  };
}

/** Handles a failure. If it may succeed later, the row stays pending and is retried automatically. */
async function failed(bot: Bot, given: AllowedRequest, row: Subscription, error: unknown): Promise<never> {
  const failure = serviceFailure(error);
  // The service may have made it, and the database may have stored that, unless the link's token could not even be read.
  if (failure === null && !isKeyMissing(error)) throw error;
  if (failure && mayPass(failure.kind)) throw new Refusal(given.context, beingSetUp(subscribedOf(row)));
  await subscriptions.end(bot.db, [row.id], 'not made', bot.clock.now());
  if (failure?.kind === 'unauthorized') await requireLink(bot, given.context, given.request);
  throw failure ? await serviceRefusal(bot, given, failure) : error;
}

/** Takes over all subscriptions of a channel that wait for one owner. One that the service refuses keeps no other from being taken over. */
export async function takeOverAll(
  bot: Bot,
  context: CommandContext,
  request: RequestOf<'take-over-all'>,
): Promise<void> {
  await requireLink(bot, context, request);
  const rows = await subscriptions.ofChannel(bot.db, channelOf(context));
  const theirs = rows.filter((row) => waitsForOwner(row) && row.ownerUserId === request.ownerUserId);
  if (theirs.length === 0) return context.reply(alreadyGone);
  for (const row of theirs) await answerRefusal(() => subscribe(bot, context, takeOver(row)));
}

/** Returns the request of a member to own a subscription that is there. */
export const takeOver = (row: Subscription): SubscribeRequest => ({ ...subscribeTo(row), takeOver: true });
