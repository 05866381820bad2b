import { renderActivity } from '../../messages/activity/activity.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Preview } from '../../messages/subscribing/form-preview.ts';
import type { SubscriptionSettings } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import * as events from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { namesIn } from '../access/shown-names.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { recallChanges } from '../delivering/recall-changes.ts';
import type { Change } from '../model/change.ts';
import { failedFilter, isIn, isOutsideFollowed, makeIsPerson } from '../model/filters.ts';
import type { Notification } from '../model/notification.ts';
import type { Delivery, Target } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { TargetedRequest } from './allowed-request.ts';
import type { FormContext } from './form-context.ts';
import type { FormState } from './form-hints.ts';

/** The most past events in a preview. */
const eventsShown = 50;
/** Rows read for them: one change has a row for each subscription that received it. */
const rowsRead = 4 * eventsShown;
/** The most messages in a preview that is not a digest. */
const messagesShown = 5;

/**
 * Returns which of the last events the form's settings would have posted; null while something in it is missing or invalid. Throws a
 * `Refusal` if the form is of a subscription that is gone, or that the person may not see any more.
 */
export async function previewOf(
  bot: Bot,
  context: CommandContext,
  form: Pick<FormState, 'formContext' | 'understood'>,
): Promise<Preview | null> {
  const outcome = await settingsOfForm(bot, context, form);
  if (outcome === null) return null;
  const { kind } = outcome.request.target;
  return { kind, settings: outcome.settings, history: await historyOf(bot, context, form, outcome) };
}

/** Null if it is unknown which channels the person is allowed to see. */
async function historyOf(
  bot: Bot,
  { person }: CommandContext,
  { understood }: Pick<FormState, 'understood'>,
  { request, settings }: FormOutcome,
): Promise<Preview['history']> {
  const { target, comprehensive } = request;
  const channels = await bot.slack.channelsOf(person);
  if (channels === null) return null;
  const recent = await events.recentOf(bot.db, person, target, [...channels], rowsRead);
  const last = distinct(recent)
    .filter(({ notification }) => isOf(target, notification))
    .slice(0, eventsShown);
  const { by, notBy } = settings.filters;
  const userIds = [...by, ...notBy].flatMap((who) => ('userId' in who ? [who.userId] : []));
  const isPerson = await makeIsPerson(userIds, (userId) => bot.emailsOf(person, userId));
  const posted = last.filter(
    ({ notification }) =>
      isReached(target, comprehensive, notification) &&
      !isOutsideFollowed({ target, comprehensive }, notification, null) &&
      failedFilter(settings.filters, notification, isPerson) === null,
  );
  const [newest] = posted;
  if (newest === undefined) return { of: last.length, posted: 0, messages: [], digest: null };
  const channelId = understood.channelId ?? newest.subscription.channelId;
  const { delivery } = settings;
  const inDigest = ({ notification: { eventType } }: PostedEvent) =>
    delivery.when !== 'live' && !delivery.except?.some((type) => type === eventType.toLowerCase());
  const recall = (posted: PostedEvent[]) =>
    recallChanges(bot, { ...person, channelId }, posted.toReversed(), { linked: false });
  const held = await recall(posted.filter(inDigest));
  const atOnce = await recall(posted.filter((event) => !inDigest(event)).slice(0, messagesShown));
  return {
    of: last.length,
    posted: posted.length,
    // Rendered as of the time of the change, so no message says how long ago it happened.
    messages: atOnce.map((change) =>
      renderActivity({ changes: [change], now: change.happenedAt, mode: 'live' }),
    ),
    digest: held[0] === undefined ? null : digestOf(bot, held, held[0].happenedAt),
  };
}

function digestOf({ clock }: Bot, changes: readonly Change[], since: Date): Message {
  return renderActivity({
    changes,
    now: clock.now(),
    mode: 'summary',
    because: 'digest',
    since,
  });
}

/** What the form would subscribe to, and with which settings. */
type FormOutcome = {
  readonly request: TargetedRequest;
  readonly settings: SubscriptionSettings;
};

const live: Delivery = { when: 'live' };

/** Works out what submitting the form would do; null while something in it is missing or invalid. */
async function settingsOfForm(
  bot: Bot,
  context: CommandContext,
  { formContext, understood }: Pick<FormState, 'formContext' | 'understood'>,
): Promise<FormOutcome | null> {
  const { request } = understood;
  if (request === null || request.target.kind === 'unknown') return null;
  const { person } = context;
  const channelId = understood.channelId ?? '';
  const before = formContext.change && (await rowOf(bot, context, { formContext, channelId }));
  const filters = filtersFrom(request, before?.filters ?? noFilters);
  return {
    request: { ...request, target: request.target },
    settings: {
      filters,
      delivery: deliveryFrom(request, before?.delivery ?? live, formContext.zone),
      threads: request.threads ?? before?.threads ?? false,
      names: await namesIn(bot, { ...person, channelId }, { filters }),
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

async function rowOf(
  bot: Bot,
  context: CommandContext,
  { formContext, channelId }: { readonly formContext: FormContext; readonly channelId: string },
): Promise<Subscription> {
  // Only a form opened in a channel proves that the person was in it.
  const madeInChannel = formContext.responseUrl !== null && context.madeInChannel;
  await requireMaySee(bot, { ...context, channelId, madeInChannel });
  const row = await subscriptions.ofWorkspace(bot.db, context.person, formContext.change?.id ?? '');
  if (row?.channelId !== channelId) throw new Refusal(context, alreadyGone);
  return row;
}
