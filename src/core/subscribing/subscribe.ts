import { subscriptionMade } from '../../messages/subscribing/announcements.ts';
import { alreadyGone, beingSetUp } from '../../messages/subscribing/answers.ts';
import {
  kindQuestion,
  overlapQuestion,
  sharedChannelQuestion,
} from '../../messages/subscribing/questions.ts';
import { sharedNotAllowed } from '../../messages/subscribing/refusals.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { NewSubscription } from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { namesIn } from '../access/shown-names.ts';
import type { Link } from '../model/link.ts';
import { isDirect } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { mayBeDone, serviceFailure } from '../model/service-error.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { Delivery } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import { undoValue } from '../model/undo.ts';
import { makeChangeSubscription } from './change-subscription.ts';
import {
  type Certain,
  type Given,
  makeServiceRefusal,
  type SubscribeOptions,
  whoIs,
} from './given-request.ts';
import type { KeptRequests } from './kept-requests.ts';
import { candidates, knownTargets } from './known-targets.ts';
import { refreshHome } from './show-home.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';
import { makeWarnOfUnseen } from './unseen-paths.ts';
import { widerSubscription } from './wider-subscription.ts';

type SubscribeDeps = SubscribingRoomDeps & { readonly keepRequest: KeptRequests['keep'] };

type GivenLink = Given & { readonly link: Link };

export type Subscribe = (
  context: CommandContext,
  request: SubscribeRequest,
  options?: SubscribeOptions,
) => Promise<void>;

/** Subscribes a channel to a resource, or changes an existing subscription. */
export function makeSubscribe(deps: SubscribeDeps): Subscribe {
  const { clock, subscriptions, upstream } = deps;
  const serviceRefusal = makeServiceRefusal(deps);
  const warnOfUnseen = makeWarnOfUnseen(deps);
  const change = makeChangeSubscription({ ...deps, warnOfUnseen }, serviceRefusal);

  return subscribe;

  async function subscribe(
    context: CommandContext,
    request: SubscribeRequest,
    options: SubscribeOptions = {},
  ): Promise<void> {
    const { target } = request;
    if (target.kind === 'unknown') return subscribeToId(context, { request, options }, target.id);
    const certain: Certain = { ...request, target };
    await deps.requirePostable(context);
    const channel = channelOf(context);
    const before = await subscriptions.ofTarget(channel, target);
    // What they agreed to change was removed meanwhile.
    if (before === null && options.agreed) return context.reply(alreadyGone);
    const profile = await deps.profileOf(context.person);
    const given = { context, request: certain, profile, options };
    // A followed item has no remote subscription, so it can be changed without a link.
    if (before !== null && before.fedBy !== null) return change({ ...given, link: null }, before);
    const link = await deps.requireLink(context, request);
    if (before) return change({ ...given, link }, before);
    if (!(await mayOverlap(given))) return;
    const settings = options.settings ?? (await deps.settings.of(channel));
    if (!(await maySubscribeShared(given, settings))) return;
    // Times are in the time zone of the person who subscribes.
    return make(
      { ...given, link },
      deliveryFrom({ when: settings.delivery }, { when: 'live' }, profile.zone),
    );
  }

  /** Returns whether a wider subscription of the channel is no obstacle. If it is, the person has been asked to confirm. */
  async function mayOverlap({ context, request, options }: Omit<Given, 'link'>): Promise<boolean> {
    if (options.anyway) return true;
    const wider = await widerSubscription(deps, channelOf(context), request);
    if (wider === null) return true;
    const wanted = subscribedOf({ ...request, resourceName: request.name ?? null });
    const value = await deps.keepRequest(request);
    await context.reply(overlapQuestion({ wanted, covering: subscribedOf(wider), value }));
    return false;
  }

  /**
   * Returns whether the channel can be subscribed with regard to other organizations in it. If not, the person has been asked to
   * confirm. Throws a `Refusal` if admins do not allow shared channels.
   */
  async function maySubscribeShared(
    { context, request, options }: Omit<Given, 'link'>,
    { sharing }: WorkspaceSettings,
  ): Promise<boolean> {
    const channel = channelOf(context);
    // Only its person reads a direct message with the bot.
    if (isDirect(channel.channelId) || !(await deps.sharedChannel.look(channel))) return true;
    if (sharing === 'ask' && options.shared) return true;
    if (sharing === 'never') throw new Refusal(context, sharedNotAllowed);
    const wanted = subscribedOf({ ...request, resourceName: request.name ?? null });
    await context.reply(sharedChannelQuestion(wanted, await deps.keepRequest(request)));
    return false;
  }

  /** Subscribes to what a bare id is known to stand for, or asks whether it is a project or a session. */
  async function subscribeToId(
    context: CommandContext,
    { request, options }: Pick<Given, 'options'> & { readonly request: SubscribeRequest },
    id: string,
  ): Promise<void> {
    const [known, ...others] = await knownTargets(deps, context, id);
    if (known !== undefined && others.length === 0) {
      const certain = { ...request, target: known };
      const settings = await deps.requireMayChange(context, certain);
      return subscribe(context, certain, { ...options, settings });
    }
    const [projectValue = '', sessionValue = ''] = await Promise.all(
      candidates(id).map((target) => deps.keepRequest({ ...request, target })),
    );
    await context.reply(kindQuestion({ id, projectValue, sessionValue }));
  }

  async function make(given: GivenLink, usual: Delivery): Promise<void> {
    const { context, request, link, profile } = given;
    const callback = upstream.newCallback();
    const row = await subscriptions.add(newRow(given, usual, callback.hash));
    // Another person subscribed to the same at the same moment, so this request becomes a change of that subscription.
    if (!row) {
      const other = await subscriptions.ofTarget(channelOf(context), request.target);
      return other ? change(given, other) : undefined;
    }
    const names = await namesIn(deps.bot, row, row.filters);
    const created = await upstream
      .create(
        row,
        {
          linkId: link.id,
          target: row.target,
          comprehensive: row.comprehensive,
          alongside: async ({ subscriptions, announce, audit }) => {
            // Read again: names learned elsewhere may be shown now that the service has accepted this person.
            const subscribed = subscribedOf((await subscriptions.byId(row.id)) ?? row);
            const by = whoIs({ context, profile });
            const settings = { ...row, names };
            const undo = undoValue(row.id, clock.now());
            await announce(row, subscriptionMade({ id: row.id, by, subscribed, settings, undoValue: undo }));
            await audit(context, 'subscribe', row.id);
          },
        },
        callback,
      )
      .catch((error: unknown) => failed(given, row, error));
    if (created === 'relink') {
      await subscriptions.end([row.id], 'not made', clock.now());
      await deps.requireLink(context, request);
      return;
    }
    if (created !== 'active') return;
    await refreshHome(deps.bot, context.person);
    if (!isDirect(row.channelId)) await deps.sharedChannel.announceOnce(row);
    await warnOfUnseen(given, row.filters);
  }

  function newRow(
    { context, request, profile, options }: Given,
    usual: Delivery,
    hash: Buffer,
  ): NewSubscription {
    return {
      ...channelOf(context),
      ownerUserId: context.person.userId,
      target: request.target,
      comprehensive: request.comprehensive,
      filters: filtersFrom(request, noFilters),
      delivery: options.delivery ?? deliveryFrom(request, usual, profile.zone),
      threads: request.threads ?? false,
      typedName: request.name,
      lastEventAt: options.lastEventAt,
      callbackTokenHash: hash,
      callbackBase: deps.publicUrl,
      now: clock.now(),
    };
  }

  /** Handles a failure. If it may succeed later, the row stays pending and is retried automatically. */
  async function failed(given: GivenLink, row: Subscription, error: unknown): Promise<never> {
    const failure = serviceFailure(error);
    // The service may have made it, and the database may have stored that, unless the link's token could not even be read.
    if (failure === null && !deps.isKeyMissing(error)) throw error;
    if (failure?.kind === 'unavailable' || failure?.kind === 'rate-limited') {
      throw new Refusal(given.context, beingSetUp(subscribedOf(row)));
    }
    await subscriptions.end([row.id], 'not made', clock.now());
    if (mayBeDone(failure)) deps.checkSoon(given.link.id);
    throw failure ? await serviceRefusal(given, failure) : error;
  }
}
