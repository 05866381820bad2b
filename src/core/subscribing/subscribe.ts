import {
  subscriptionChanged,
  subscriptionMade,
  subscriptionTakenOver,
} from '../../messages/subscribing/announcements.ts';
import { alreadySubscribed, beingSubscribed } from '../../messages/subscribing/answers.ts';
import {
  folderOnlyQuestion,
  kindQuestion,
  overlapQuestion,
  sharedChannelQuestion,
} from '../../messages/subscribing/questions.ts';
import { serviceError } from '../../messages/subscribing/refusals.ts';
import { isSameSettings, type SettingsChange } from '../../messages/subscribing/settings-change.ts';
import { beingReplaced, beingSetUp } from '../../messages/subscribing/upkeep.ts';
import type { Message } from '../../messages/text/message.ts';
import type { Events } from '../../store/tables/events.ts';
import type { NewSubscription, Subscription, Subscriptions } from '../../store/tables/subscriptions.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import { type PauseSubscription, pausedByPerson } from '../channels/pause-subscription.ts';
import type { SharedChannel } from '../channels/shared-channel.ts';
import { waitsForChannel } from '../model/channel-reason.ts';
import type { Clock } from '../model/clock.ts';
import { commandLine } from '../model/commands.ts';
import { covers } from '../model/covers.ts';
import { followsContents } from '../model/filters.ts';
import { formatRequest } from '../model/format-request.ts';
import type { Link } from '../model/link.ts';
import { type Channel, isDirect, type Profile, type ProfileOf, type SlackPerson } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { type ServiceError, serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { Delivery, Filters, Target } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { KeptRequests } from './kept-requests.ts';

export type SubscribeDeps = {
  readonly clock: Clock;
  readonly subscriptions: Subscriptions;
  readonly upstream: Upstream;
  readonly profileOf: ProfileOf;
  /** Whether the bot can post there; if not, the person gets a reply that says why. */
  readonly requirePostable: (context: CommandContext) => Promise<boolean>;
  /** The person's link; if none works, they are offered one that carries the request, and it is null. */
  readonly requireLink: (context: CommandContext, request: SubscribeRequest) => Promise<Link | null>;
  /** Whether people of other organizations are in the channel, and the announcement of what that changes. */
  readonly sharedChannel: Pick<SharedChannel, 'look' | 'announceOnce'>;
  /** Keeps a request for the button of a question, which brings it back. */
  readonly keepRequest: KeptRequests['keep'];
  readonly events: Pick<Events, 'releaseHeld'>;
  /** Ends the pause that somebody made, and says so in the channel. */
  readonly resume: PauseSubscription['resume'];
  readonly announce: (channel: Channel, message: Message) => Promise<void>;
  readonly namesIn: (channel: Channel, filters: Filters) => Promise<ReadonlyMap<string, string>>;
  readonly audit: WriteAudit;
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  readonly publicUrl: string;
};

export type SubscribeOptions = {
  /** The person has been asked, and wants it although a wider subscription covers it. */
  readonly anyway?: boolean | undefined;
  /** The person has been asked, and wants it although people of other organizations are in the channel. */
  readonly shared?: boolean | undefined;
  /** Leaves one that somebody paused as it is, since only its settings are to be changed. */
  readonly staysPaused?: boolean | undefined;
  /** As it was before: times then stay those of the clock they were on. */
  readonly delivery?: Delivery | undefined;
};

export type Subscribe = (
  context: CommandContext,
  request: SubscribeRequest,
  options?: SubscribeOptions,
) => Promise<void>;

/** A request whose target is known for certain. */
type Certain = SubscribeRequest & { readonly target: Target };

/** How a subscription is to be from now on. */
type Wanted = {
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  readonly comprehensive: boolean;
  readonly name: string | null;
};

/** Has a channel follow a resource, or changes how it does. */
export function makeSubscribe(deps: SubscribeDeps): Subscribe {
  const { clock, subscriptions, upstream } = deps;

  return async (context, request, options = {}) => {
    const { target } = request;
    if (target.kind === 'unknown') return askKind(context, request, target.id);
    const certain: Certain = { ...request, target };
    if (!(await deps.requirePostable(context))) return;
    const link = await deps.requireLink(context, request);
    if (!link) return;
    const profile = await deps.profileOf(context.person);
    const channel = channelOf(context);
    const before = await subscriptions.ofTarget(channel, target);
    const given = { context, request: certain, link, profile, options };
    if (before) return change(given, before);
    const wanted = subscribedOf({ ...certain, resourceName: certain.name ?? null });
    const wider = (await subscriptions.ofChannel(channel)).find((other) => covers(other, target));
    if (wider && !options.anyway) {
      const value = await deps.keepRequest(request);
      return context.reply(overlapQuestion({ wanted, covering: subscribedOf(wider), value }));
    }
    if ((await isShared(channel)) && !options.shared) {
      return context.reply(sharedChannelQuestion({ wanted, value: await deps.keepRequest(request) }));
    }
    return make(given);
  };

  type Given = {
    readonly context: CommandContext;
    readonly request: Certain;
    readonly link: Link;
    readonly profile: Profile;
    readonly options: SubscribeOptions;
  };

  /** Nobody but its person reads a direct message with the bot. */
  async function isShared(channel: Channel): Promise<boolean> {
    return !isDirect(channel.channelId) && (await deps.sharedChannel.look(channel));
  }

  /** Asks what a bare id is. */
  async function askKind(context: CommandContext, request: SubscribeRequest, id: string): Promise<void> {
    const [projectValue, sessionValue] = await Promise.all([
      deps.keepRequest({ ...request, target: { kind: 'project', projectId: id } }),
      deps.keepRequest({ ...request, target: { kind: 'session', sessionId: id } }),
    ]);
    await context.reply(kindQuestion({ id, projectValue, sessionValue }));
  }

  async function make(given: Given): Promise<void> {
    const { context, request, link, profile } = given;
    const callback = upstream.newCallback();
    const row = await subscriptions.add(newRow(given, callback.hash));
    // Somebody else typed the same in the same moment; theirs is there, and this becomes a change of it.
    if (!row) {
      const other = await subscriptions.ofTarget(channelOf(context), request.target);
      return other ? change(given, other) : undefined;
    }
    try {
      const wanted = { linkId: link.id, target: row.target, comprehensive: row.comprehensive };
      const created = await upstream.create(row.id, wanted, callback);
      if (created.outcome === 'relink') {
        await subscriptions.end([row.id], 'not made', clock.now());
        await deps.requireLink(context, request);
        return;
      }
      if (created.value !== 'active') return;
    } catch (error) {
      return failed(given, row, error);
    }
    await deps.audit(context, 'subscribe', row.id);
    await deps.refreshHome(context.person);
    await deps.announce(
      row,
      subscriptionMade({
        by: whoIs({ context, profile }),
        subscribed: subscribedOf(row),
        settings: { ...row, names: await deps.namesIn(row, row.filters) },
        toStop: toStop(context, row.target),
        personal: isDirect(row.channelId),
      }),
    );
    if (!isDirect(row.channelId)) await deps.sharedChannel.announceOnce(row);
  }

  function newRow({ context, request, profile, options }: Given, hash: Buffer): NewSubscription {
    return {
      ...channelOf(context),
      ownerUserId: context.person.userId,
      target: request.target,
      comprehensive: request.comprehensive,
      filters: filtersFrom(request, noFilters),
      delivery: options.delivery ?? deliveryFrom(request, { when: 'live' }, profile.zone),
      threads: request.threads ?? false,
      typedName: request.name,
      callbackTokenHash: hash,
      callbackBase: deps.publicUrl,
      now: clock.now(),
    };
  }

  /** The service could not make it now, or would not. What may succeed later is tried again by itself. */
  async function failed(given: Given, row: Subscription, error: unknown): Promise<void> {
    const { context } = given;
    const failure = serviceFailure(error);
    if (failure?.kind === 'unavailable' || failure?.kind === 'rate-limited') {
      return context.reply(beingSetUp({ subscribed: subscribedOf(row) }));
    }
    await subscriptions.end([row.id], 'not made', clock.now());
    if (!failure) throw error;
    return context.reply(await refusal(given, failure));
  }

  /** Without the project's own notifications a folder can still be followed without its contents. */
  async function refusal({ request }: Given, { kind, forPerson }: ServiceError): Promise<Message> {
    const isRefused = kind === 'forbidden' || kind === 'not-found';
    if (!isRefused || !followsContents(request)) return serviceError({ forPerson });
    const only = { ...request, comprehensive: false };
    return folderOnlyQuestion({
      wanted: subscribedOf({ ...only, resourceName: request.name ?? null }),
      value: await deps.keepRequest(only),
    });
  }

  async function change(given: Given, before: Subscription): Promise<void> {
    const { context, options } = given;
    const wanted = wantedFrom(given, before);
    const names = new Map([
      ...(await deps.namesIn(before, before.filters)),
      ...(await deps.namesIn(before, wanted.filters)),
    ]);
    const settings: SettingsChange = {
      before: { ...before, name: before.resourceName, names },
      after: { ...wanted, names },
    };
    const same = isSameSettings(settings);
    const resumes = isPausedByPerson(before) && !options.staysPaused;
    const stopped = isStopped(before);
    if (same && !stopped && !resumes) return context.reply(nothingToChange(before));
    if (stopped || !same) {
      if (!(await write(given, before, { wanted, stopped }))) return;
      await deps.announce(before, same ? await takenOver(given, before) : changed(given, before, settings));
    }
    if (resumes) await deps.resume(context, before);
  }

  function wantedFrom({ request, profile, options }: Given, before: Subscription): Wanted {
    return {
      filters: filtersFrom(request, before.filters),
      delivery: options.delivery ?? deliveryFrom(request, before.delivery, profile.zone),
      threads: request.threads ?? before.threads,
      comprehensive: request.comprehensive,
      // The service's own name wins over one that was typed.
      name:
        before.resourceName === before.typedName ? (request.name ?? before.typedName) : before.resourceName,
    };
  }

  /** False where the service would not have it, and they were told. */
  async function write(
    given: Given,
    before: Subscription,
    { wanted, stopped }: { readonly wanted: Wanted; readonly stopped: boolean },
  ): Promise<boolean> {
    const { context } = given;
    const renew = stopped || wanted.comprehensive !== before.comprehensive;
    const keepsPause = before.state === 'paused' && !stopped;
    if (renew && !(await renewed(given, before, { ...wanted, keepsPause }))) return false;
    const ownerUserId = renew ? context.person.userId : before.ownerUserId;
    const typedName = given.request.name;
    await subscriptions.change(before.id, { ...wanted, typedName, ownerUserId, now: clock.now() });
    await deps.audit(context, 'change subscription', before.id);
    await deps.refreshHome(context.person);
    // What came during the pause is told in a summary: the announcement that follows gives the lane its turn.
    if (stopped) await deps.events.releaseHeld(before, 'paused', [before.id]);
    return true;
  }

  function changed({ context, profile }: Given, before: Subscription, change: SettingsChange): Message {
    return subscriptionChanged({
      by: whoIs({ context, profile }),
      subscribed: subscribedOf({ ...before, comprehensive: change.after.comprehensive }),
      change,
      toStop: toStop(context, before.target),
    });
  }

  async function takenOver({ context, profile }: Given, before: Subscription): Promise<Message> {
    const { ownerUserId: userId } = before;
    // The one before may not be in the workspace any more.
    const owner = await deps.profileOf({ ...before, userId }).catch(() => null);
    return subscriptionTakenOver({
      by: whoIs({ context, profile }),
      from: { userId, name: owner?.name ?? userId },
      subscribed: subscribedOf(before),
    });
  }

  /** Has the service make a new record for a row, with the asking person's link. False where that failed and they were told. */
  async function renewed(
    given: Given,
    before: Subscription,
    { comprehensive, keepsPause }: { readonly comprehensive: boolean; readonly keepsPause: boolean },
  ): Promise<boolean> {
    const { context, request, link } = given;
    try {
      const { target } = before;
      const replaced = await upstream.replace(before, { linkId: link.id, target, comprehensive, keepsPause });
      if (replaced.outcome === 'relink') await deps.requireLink(context, request);
      else if (replaced.value === 'overtaken')
        await context.reply(beingReplaced({ subscribed: subscribedOf(before) }));
      return replaced.outcome === 'done' && replaced.value === 'active';
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      await context.reply(await refusal(given, failure));
      return false;
    }
  }
}

/** Whoever asked first for what is being set up is told how that went; it may still fail. */
function nothingToChange(before: Subscription): Message {
  const words = before.state === 'pending' ? beingSubscribed : alreadySubscribed;
  return words({ subscribed: subscribedOf(before) });
}

function isPausedByPerson({ state, reason }: Subscription): boolean {
  return state === 'paused' && reason === pausedByPerson;
}

/** Whether only another record at the service lets it go on. */
function isStopped(row: Subscription): boolean {
  return row.state === 'paused' && !isPausedByPerson(row) && !waitsForChannel(row);
}

function toStop({ names, channelId }: CommandContext, target: Target): string {
  const personal = isDirect(channelId) || undefined;
  return commandLine(formatRequest({ act: 'unsubscribe', target, personal }), names);
}

function whoIs({ context, profile }: { context: CommandContext; profile: Profile }) {
  return { userId: context.person.userId, name: profile.name };
}
