import { isDeepStrictEqual } from 'node:util';
import { type ActivityLook, plainLook, renderActivity } from '../../messages/activity/activity.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { FormRead } from '../../messages/subscribing/form-fields.ts';
import type { Preview } from '../../messages/subscribing/subscribe-form.ts';
import type { SubscriptionSettings } from '../../messages/text/copy.ts';
import * as channelStates from '../../store/tables/channels.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import * as events from '../../store/tables/events.ts';
import * as settings from '../../store/tables/settings.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { emailsOf, namesIn } from '../access/shown-names.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { recallChanges } from '../delivering/recall-changes.ts';
import { isAboutItself, isNotable } from '../delivering/turn.ts';
import type { Change } from '../model/change.ts';
import { failedFilter, isOfTypes, isOutsideFollowed, makeIsPerson, usersIn } from '../model/filters.ts';
import { hasContents } from '../model/format-request.ts';
import { cardOf, joiningKey, type LaneCard, rollingVerbs, takesIn } from '../model/lane-card.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel } from '../model/people.ts';
import type { Scope, Target } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { FormContext } from './form-context.ts';
import { channelsOf, readerIn } from './known-folders.ts';

/** The most past events in a preview. */
const eventsShown = 50;
/** Rows read for them: one change has a row for each subscription that received it. */
const rowsRead = 4 * eventsShown;
/** Changes that come this close together wait for one message. */
const togetherMs = 1_000;

/** Where a form would subscribe, and to what. */
type Sent = Omit<FormRead, 'faults'> & { readonly formContext: FormContext };

/** Returns which of the last events the form's settings would have posted. Throws a `Refusal` if its subscription is gone or may not be seen. */
export async function previewOf(bot: Bot, context: CommandContext, sent: Sent): Promise<Preview> {
  const { request, formContext } = sent;
  const { target } = request;
  if (target.kind === 'unknown') throw new TypeError('the form was read without its kind');
  const { changeId, madeInChannel } = formContext;
  const channelId = sent.channelId ?? '';
  const there = { ...context, channelId, madeInChannel };
  const before = changeId === null ? null : await editedRow(bot, there, changeId);
  const filters = filtersFrom(request, before?.filters ?? noFilters);
  const ping = request.ping === undefined ? (before?.ping ?? null) : request.ping;
  const wanted: SubscriptionSettings = {
    filters,
    delivery: deliveryFrom(request, before?.delivery ?? { when: 'live' }, formContext.zone),
    threads: request.threads ?? before?.threads ?? false,
    names: await namesIn(bot, { ...context.person, channelId }, { filters, ping }),
    ping,
  };
  const scope = { channelId: sent.channelId, target, comprehensive: request.comprehensive };
  const history = await historyOf(bot, there, scope, wanted);
  return { kind: target.kind, settings: wanted, history };
}

/** Null if it is unknown which channels the person is allowed to see. */
async function historyOf(
  bot: Bot,
  { person, madeInChannel }: CommandContext,
  { channelId: chosen, target, comprehensive }: Scope & { readonly channelId: string | null },
  { filters, delivery }: SubscriptionSettings,
): Promise<Preview['history']> {
  const memberOf = await bot.slack.channelsOf(person);
  if (memberOf === null) return null;
  const reader = await readerIn(bot, { person, channelId: chosen ?? '', madeInChannel });
  const channels = channelsOf(reader, memberOf);
  const shared = await channelStates.sharedAmong(bot.db, person, channels);
  const open = channels.filter((id) => id === chosen || !shared.has(id));
  const recent = await events.recentOf(bot.db, person, target, open, rowsRead);
  const whole = { target, comprehensive: hasContents(target) };
  const last = distinct(recent)
    .filter(({ notification }) => isOf(whole, notification))
    .slice(0, eventsShown);
  const isPerson = await makeIsPerson(usersIn(filters), (userId) => emailsOf(bot, person, userId));
  const posted = last
    .filter(
      ({ notification }) =>
        isOf({ target, comprehensive }, notification) &&
        failedFilter(filters, notification, isPerson) === null,
    )
    .toReversed();
  const [oldest] = posted;
  if (oldest === undefined) return { of: last.length, posted: 0, messages: [], digest: null };
  const channel = { ...person, channelId: chosen ?? oldest.subscription.channelId };
  const changes = await recallChanges(bot, channel, posted, { linked: false });
  const inDigest = ({ notification }: PostedEvent) =>
    delivery.when !== 'live' && !isOfTypes(notification, delivery.except);
  const shown = posted.map((event, index) => ({ event, change: changes[index] as Change }));
  const held = shown.flatMap(({ event, change }) => (inDigest(event) ? change : []));
  const look = await lookIn(bot, channel, target);
  return {
    of: last.length,
    posted: posted.length,
    // Rendered as of the time of the changes, so no message says how long ago they happened.
    messages: inMessages(shown.filter(({ event }) => !inDigest(event))).map((together) =>
      renderActivity({ changes: together, now: newestOf(together), mode: 'live', look }),
    ),
    digest:
      held[0] === undefined
        ? null
        : renderActivity({
            changes: held,
            now: bot.clock.now(),
            mode: 'summary',
            look,
            because: 'digest',
            since: held[0].happenedAt,
          }),
  };
}

function newestOf(changes: readonly Change[]): Date {
  return new Date(Math.max(...changes.map(({ happenedAt }) => happenedAt.getTime())));
}

/** Returns how messages look in a channel that follows this, too. */
async function lookIn(bot: Bot, channel: Channel, target: Target): Promise<ActivityLook> {
  const [{ signs }, rows] = await Promise.all([
    settings.of(bot.db, channel),
    subscriptions.ofChannel(bot.db, channel),
  ]);
  return { ...plainLook, signs, places: rows.some((row) => !isDeepStrictEqual(row.target, target)) };
}

type Shown = { readonly event: PostedEvent; readonly change: Change };

/** Groups changes into the messages that they would be, as a lane does: those at once, and those that roll up. */
function inMessages(shown: readonly Shown[]): readonly (readonly Change[])[] {
  const messages: Change[][] = [];
  let card: LaneCard | null = null as LaneCard | null;
  for (const { event, change } of shown) {
    const { projectId, sessionId } = event.notification;
    const mode = isNotable(event.notification) ? 'notable' : 'live';
    const joining = {
      by: joiningKey(change.actorEmail, projectId ?? sessionId),
      rolls: mode === 'live' && rollingVerbs.includes(change.verb),
    };
    const at = change.happenedAt;
    const together: Change[] = messages.at(-1) ?? [];
    const size = { items: together.length + 1, events: together.length + 1, bytes: 0 };
    const isAtOnce = card?.mode === mode && Math.abs(at.getTime() - Date.parse(card.touchedAt)) <= togetherMs;
    if (card !== null && (isAtOnce || takesIn(card, joining, size, at))) {
      together.push(change);
      card = { ...card, touchedAt: at.toISOString(), ...size };
    } else {
      messages.push([change]);
      card = cardOf(mode, joining, { ...size, items: 1, events: 1 }, { ts: '', at });
    }
  }
  return messages;
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

/** Returns whether an event, one of the project or session, is of what is followed (service interface: what each kind of subscription receives). */
function isOf(scope: Scope, notification: Notification): boolean {
  return scope.comprehensive
    ? !isOutsideFollowed(scope, notification, null)
    : isAboutItself(notification, scope);
}

/** Returns the subscription that a form edits. Throws a `Refusal` if it is gone, or not for this person to see. */
export async function editedRow(bot: Bot, context: CommandContext, id: string): Promise<Subscription> {
  await requireMaySee(bot, context);
  const row = await subscriptions.ofWorkspace(bot.db, context.person, id);
  if (row?.channelId !== context.channelId) throw new Refusal(context, alreadyGone);
  return row;
}
