import {
  isSameSettings,
  type SettingsChange,
  subscriptionChanged,
  subscriptionMade,
  subscriptionTakenOver,
} from '../messages/announcements.ts';
import {
  alreadySubscribed,
  kindQuestion,
  notUnderstood,
  overlapQuestion,
  serviceError,
} from '../messages/answers.ts';
import { limits } from '../messages/limits.ts';
import type { Message } from '../messages/message.ts';
import { beingReplaced, beingSetUp } from '../messages/upkeep.ts';
import type { Wording } from '../messages/words.ts';
import type { NewSubscription, Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { Asked } from './asked.ts';
import type { Clock } from './clock.ts';
import { covers } from './covers.ts';
import type { Link } from './linking/link.ts';
import { serviceFailure } from './linking/service-failure.ts';
import type { Channel, Profile, ProfileOf } from './people.ts';
import { commandLine, formatRequest, type SubscribeRequest } from './request.ts';
import type { Delivery, Filters, Target } from './subscription.ts';
import type { Upstream } from './upstream.ts';

export type SubscribeDeps = {
  readonly clock: Clock;
  readonly subscriptions: Subscriptions;
  readonly upstream: Upstream;
  readonly profileOf: ProfileOf;
  /** Whether the bot could post there; where it could not, the person has been told. */
  readonly checkPostable: (asked: Asked) => Promise<boolean>;
  /** The person's link; where there is none that works, they have been offered one that carries the request. */
  readonly linkFor: (asked: Asked, request: SubscribeRequest) => Promise<Link | null>;
  readonly announce: (channel: Channel, message: Message) => Promise<void>;
  readonly namesIn: (channel: Channel, filters: Filters) => Promise<ReadonlyMap<string, string>>;
  readonly audit: (asked: Asked, act: string, subject: string) => Promise<void>;
  readonly publicUrl: string;
  readonly wording: (asked: Asked) => Wording;
};

/** `anyway`: the person has been asked, and wants it although a wider subscription covers it. */
export type Subscribe = (
  asked: Asked,
  request: SubscribeRequest,
  options?: { readonly anyway?: boolean | undefined },
) => Promise<void>;

/** A request whose target is known for certain. */
type Certain = SubscribeRequest & { readonly target: Target };

/** Has a channel follow a resource, or changes how it does. */
export function makeSubscribe(deps: SubscribeDeps): Subscribe {
  const { clock, subscriptions, upstream } = deps;

  return async (asked, request, options = {}) => {
    const { target } = request;
    if (target.kind === 'unknown') return asked.reply(askKind(request, target.id, deps.wording(asked)));
    const certain: Certain = { ...request, target };
    if (!(await deps.checkPostable(asked))) return;
    const link = await deps.linkFor(asked, request);
    if (!link) return;
    const profile = await deps.profileOf(asked.person);
    const channel = channelOf(asked);
    const before = await subscriptions.ofTarget(channel, target);
    if (before) return change({ asked, request: certain, link, profile }, before);
    const wider = (await subscriptions.ofChannel(channel)).find((other) => covers(other, target));
    const value = JSON.stringify(request);
    // A request too long for a button cannot be asked about; whoever typed that much meant it.
    if (wider && !options.anyway && value.length <= limits.buttonValue) {
      const wanted = subscribed({ ...certain, resourceName: null });
      return asked.reply(overlapQuestion({ wanted, covering: subscribed(wider), value }));
    }
    return make({ asked, request: certain, link, profile });
  };

  type Given = { asked: Asked; request: Certain; link: Link; profile: Profile };

  async function make({ asked, request, link, profile }: Given): Promise<void> {
    const callback = upstream.newCallback();
    const row = await subscriptions.add(newRow({ asked, request, link, profile }, callback.hash));
    // Somebody else typed the same in the same moment; theirs is there, and this becomes a change of it.
    if (!row) {
      const other = await subscriptions.ofTarget(channelOf(asked), request.target);
      return other ? change({ asked, request, link, profile }, other) : undefined;
    }
    try {
      const wanted = { linkId: link.id, target: row.target, comprehensive: row.comprehensive };
      const created = await upstream.create(row.id, wanted, callback);
      if (created.outcome === 'relink') {
        await subscriptions.end([row.id], 'not made', clock.now());
        await deps.linkFor(asked, request);
        return;
      }
      if (created.value !== 'active') return;
    } catch (error) {
      return failed(asked, row, error);
    }
    await deps.audit(asked, 'subscribe', row.id);
    await deps.announce(
      row,
      subscriptionMade({
        by: whoIs({ asked, profile }),
        subscribed: subscribed(row),
        settings: { ...row, names: await deps.namesIn(row, row.filters) },
        toStop: toStop(asked, row.target),
      }),
    );
  }

  function newRow({ asked, request, profile }: Given, hash: Buffer): NewSubscription {
    return {
      ...channelOf(asked),
      ownerUserId: asked.person.userId,
      target: request.target,
      comprehensive: request.comprehensive,
      filters: filtersFrom(request, noFilters),
      delivery: deliveryFrom(request, { when: 'live' }, profile.zone),
      threads: request.threads ?? false,
      callbackTokenHash: hash,
      callbackBase: deps.publicUrl,
      now: clock.now(),
    };
  }

  /** The service could not make it now, or would not. What may succeed later is tried again by itself. */
  async function failed(asked: Asked, row: Subscription, error: unknown): Promise<void> {
    const failure = serviceFailure(error);
    if (failure?.kind === 'unavailable' || failure?.kind === 'rate-limited') {
      return asked.reply(beingSetUp({ subscribed: subscribed(row), forPerson: failure.forPerson }));
    }
    await subscriptions.end([row.id], 'not made', clock.now());
    if (!failure) throw error;
    return asked.reply(serviceError({ forPerson: failure.forPerson }));
  }

  async function change(given: Given, before: Subscription): Promise<void> {
    const { asked, request, profile } = given;
    const wanted = {
      filters: filtersFrom(request, before.filters),
      delivery: deliveryFrom(request, before.delivery, profile.zone),
      threads: request.threads ?? before.threads,
      comprehensive: request.comprehensive,
    };
    const names = new Map([
      ...(await deps.namesIn(before, before.filters)),
      ...(await deps.namesIn(before, wanted.filters)),
    ]);
    const settings: SettingsChange = { before: { ...before, names }, after: { ...wanted, names } };
    const stopped = before.state === 'paused' && !channelReasons.has(before.reason ?? '');
    const same = isSameSettings(settings);
    if (same && !stopped) return asked.reply(alreadySubscribed({ subscribed: subscribed(before) }));
    const renew = stopped || wanted.comprehensive !== before.comprehensive;
    if (renew && !(await renewed(given, before, wanted.comprehensive))) return;
    const ownerUserId = renew ? asked.person.userId : before.ownerUserId;
    await subscriptions.change(before.id, { ...wanted, ownerUserId, now: clock.now() });
    await deps.audit(asked, 'change subscription', before.id);
    await deps.announce(before, same ? await takenOver(given, before) : changed(given, before, settings));
  }

  function changed({ asked, profile }: Given, before: Subscription, change: SettingsChange): Message {
    return subscriptionChanged({
      by: whoIs({ asked, profile }),
      subscribed: subscribed({ ...before, comprehensive: change.after.comprehensive }),
      change,
      toStop: toStop(asked, before.target),
    });
  }

  async function takenOver({ asked, profile }: Given, before: Subscription): Promise<Message> {
    const { ownerUserId: userId } = before;
    // The one before may not be in the workspace any more.
    const owner = await deps.profileOf({ ...before, userId }).catch(() => null);
    return subscriptionTakenOver({
      by: whoIs({ asked, profile }),
      from: { userId, name: owner?.name ?? userId },
      subscribed: subscribed(before),
    });
  }

  /** Has the service make a new record for a row, with the asking person's link. False where that failed and they were told. */
  async function renewed(
    { asked, request, link }: Given,
    before: Subscription,
    comprehensive: boolean,
  ): Promise<boolean> {
    try {
      const replaced = await upstream.replace(before, {
        linkId: link.id,
        target: before.target,
        comprehensive,
      });
      if (replaced.outcome === 'relink') await deps.linkFor(asked, request);
      else if (replaced.value === 'overtaken')
        await asked.reply(beingReplaced({ subscribed: subscribed(before) }));
      return replaced.outcome === 'done' && replaced.value === 'active';
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      await asked.reply(serviceError({ forPerson: failure.forPerson }));
      return false;
    }
  }
}

/** Asks what a bare id is. The answer brings the whole request back, so one that does not fit a button has to be typed again. */
function askKind(request: SubscribeRequest, id: string, { commands }: Wording): Message {
  const projectValue = JSON.stringify({ ...request, target: { kind: 'project', projectId: id } });
  const sessionValue = JSON.stringify({ ...request, target: { kind: 'session', sessionId: id } });
  if (Math.max(projectValue.length, sessionValue.length) <= limits.buttonValue) {
    return kindQuestion({ id, projectValue, sessionValue });
  }
  const example = `${commands.subscribe} project ${id}`;
  return notUnderstood({ word: id, after: null, expected: '`project` or `session` before it', example });
}

/** Pauses that lie in the channel: they end there, and not by subscribing anew. */
const channelReasons = new Set([
  'not in channel',
  'channel archived',
  'posting restricted',
  'workspace access',
]);

const noFilters: Filters = { only: [], paths: [], by: [], notBy: [] };

/** What was typed changes what is there; what was not typed stays. */
function filtersFrom({ filters }: SubscribeRequest, before: Filters): Filters {
  return {
    only: filters.only ?? before.only,
    paths: filters.paths ?? before.paths,
    by: filters.by ?? before.by,
    notBy: filters.notBy ?? before.notBy,
  };
}

/** Times are those of the clock of whoever typed them. */
function deliveryFrom({ when }: SubscribeRequest, before: Delivery, zone: string): Delivery {
  if (when === undefined) return before;
  return when.when === 'daily' ? { ...when, zone } : when;
}

function subscribed({
  target,
  comprehensive,
  resourceName,
}: Pick<Subscription, 'target' | 'comprehensive' | 'resourceName'>) {
  return { target, comprehensive, name: resourceName };
}

function toStop({ names }: Asked, target: Target): string {
  return commandLine(formatRequest({ act: 'unsubscribe', target }), names);
}

function channelOf({ person, channelId }: Asked): Channel {
  return { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
}

function whoIs({ asked, profile }: { asked: Asked; profile: Profile }) {
  return { userId: asked.person.userId, name: profile.name };
}
