import { renderActivity } from '../../messages/activity/activity.ts';
import type { Preview } from '../../messages/subscribing/form-preview.ts';
import type { SubscriptionSettings } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Change } from '../model/change.ts';
import { failedFilter, isIn, isOutsideFolder, knowPeople } from '../model/filters.ts';
import type { Notification } from '../model/notification.ts';
import type { Delivery, Target } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { FormContext, FormUnderstood } from './form-context.ts';
import type { Certain } from './given-request.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';

/** Returns which of the last events the form's settings would have posted; null while something in it is missing or invalid. */
export type PreviewForm = (
  context: CommandContext,
  form: { readonly formContext: FormContext; readonly understood: FormUnderstood },
) => Promise<Preview | null>;

/** The most past events in a preview. */
const eventsShown = 50;
/** Rows read for them: one change has a row for each subscription that received it. */
const rowsRead = 4 * eventsShown;
/** The most messages in a preview that is not a digest. */
const messagesShown = 5;

export function makeFormPreview(deps: SubscribingRoomDeps): PreviewForm {
  return async (context, form) => {
    const outcome = await settingsOfForm(context, form, deps);
    if (outcome === null) return null;
    const { kind } = outcome.request.target;
    return { kind, settings: outcome.settings, history: await historyOf(context, form, outcome) };
  };

  /** Null if it is unknown which channels the person is allowed to see. */
  async function historyOf(
    { person }: CommandContext,
    { understood }: { readonly understood: FormUnderstood },
    { request, settings }: FormOutcome,
  ): Promise<Preview['history']> {
    const { target, comprehensive } = request;
    const channels = await deps.channelsOf(person);
    if (channels === null) return null;
    const recent = await deps.events.recentOf(person, target, [...channels], rowsRead);
    const last = distinct(recent)
      .filter(({ notification }) => isOf(target, notification))
      .slice(0, eventsShown);
    const { by, notBy } = settings.filters;
    const userIds = [...by, ...notBy].flatMap((who) => ('userId' in who ? [who.userId] : []));
    const isPerson = await knowPeople(userIds, (userId) => deps.emailsOf(person, userId));
    const posted = last.filter(
      ({ notification }) =>
        isReached(target, comprehensive, notification) &&
        !isOutsideFolder({ target, comprehensive }, notification, null) &&
        failedFilter([settings.filters], notification, isPerson) === null,
    );
    const [newest] = posted;
    if (newest === undefined) return { of: last.length, posted: 0, messages: [] };
    const channelId = understood.channelId ?? newest.subscription.channelId;
    const changes = await deps.recallChanges({ ...person, channelId }, posted.toReversed());
    return { of: last.length, posted: posted.length, messages: messagesOf(changes, settings.delivery.when) };
  }

  /** Renders changes as they would be posted: one message each, or all of them in one digest. */
  function messagesOf(changes: readonly Change[], when: 'live' | 'hourly' | 'daily'): Message[] {
    const now = deps.clock.now();
    if (when === 'live') {
      // Rendered as of the time of the change, so no message says how long ago it happened.
      return changes
        .slice(-messagesShown)
        .map((change) => renderActivity({ changes: [change], now: change.happenedAt, mode: 'live' }));
    }
    const since = changes[0]?.happenedAt ?? now;
    return [renderActivity({ changes, now, mode: 'summary', because: 'digest', since })];
  }
}

/** What the form would subscribe to, and with which settings. */
type FormOutcome = {
  readonly request: Certain;
  readonly settings: SubscriptionSettings;
};

const live: Delivery = { when: 'live' };

/** Works out what submitting the form would do; null while something in it is missing or invalid. */
async function settingsOfForm(
  { person }: CommandContext,
  { formContext, understood }: { readonly formContext: FormContext; readonly understood: FormUnderstood },
  deps: SubscribingRoomDeps,
): Promise<FormOutcome | null> {
  const { request } = understood;
  if (request === null || request.target.kind === 'unknown') return null;
  const { change } = formContext;
  const before = change && (await deps.subscriptions.ofWorkspace(person, change.id));
  const filters = filtersFrom(request, before?.filters ?? noFilters);
  return {
    request: { ...request, target: request.target },
    settings: {
      filters,
      delivery: deliveryFrom(request, before?.delivery ?? live, formContext.zone),
      threads: request.threads ?? before?.threads ?? false,
      names: await deps.namesIn({ ...person, channelId: understood.channelId ?? '' }, filters),
    },
  };
}

/** Removes duplicates: each remote subscription delivers the same change. */
function distinct<Event extends { readonly fingerprint: string | null; readonly notification: Notification }>(
  events: readonly Event[],
): Event[] {
  const seen = new Map<string, Event>();
  for (const event of events) {
    const key = `${event.fingerprint ?? event.notification.id} ${event.notification.happenedAt}`;
    if (!seen.has(key)) seen.set(key, event);
  }
  return [...seen.values()];
}

/** Returns whether an event belongs to a resource, in any scope. */
function isOf(target: Target, notification: Notification): boolean {
  switch (target.kind) {
    case 'project':
      return notification.projectId === target.projectId;
    case 'session':
      return notification.sessionId === target.sessionId;
    case 'folder':
      return (
        notification.projectId === target.projectId &&
        (notification.itemId === target.itemId || isIn(notification.idPath, target.itemId))
      );
    case 'file':
      return notification.projectId === target.projectId && notification.itemId === target.itemId;
    case 'document':
      return notification.sessionId === target.sessionId && notification.itemId === target.documentId;
  }
}

/** Returns whether the chosen scope includes an event (service interface: what each kind of subscription receives). */
function isReached(target: Target, comprehensive: boolean, { resourceType, itemId }: Notification): boolean {
  switch (target.kind) {
    case 'project':
      return comprehensive || resourceType === 'Projects';
    case 'session':
      return comprehensive || resourceType === 'Sessions';
    case 'folder':
      return comprehensive || itemId === target.itemId;
    case 'file':
    case 'document':
      return true;
  }
}
