import type { Change } from '../../core/model/change.ts';
import type { silenceOf } from '../../core/model/quiet-hours.ts';
import type { Filters, Subscribed } from '../../core/model/subscription.ts';
import { hourMs, minuteMs } from '../../lib/durations.ts';
import { sentenceOfOne } from '../activity/sentences.ts';
import { emptyWords, subscribeHere } from '../subscribing/lists.ts';
import { rowButton } from '../subscribing/row-buttons.ts';
import {
  describeDelivery,
  describeFilters,
  describeSettings,
  describeTarget,
  type SubscriptionSettings,
  type Who,
  whoIs,
  whose,
} from '../text/copy.ts';
import {
  type Message,
  type MessageRow,
  messageOf,
  notice,
  pageButtons,
  pageOf,
  present,
} from '../text/message.ts';
import {
  andMore,
  capital,
  clock,
  counted,
  day,
  type Marked,
  type Phrase,
  quoted,
  say,
  strong,
  time,
  typed,
} from '../text/phrase.ts';
import { deadReason } from './dead-reasons.ts';
import { type Finding, findingRows } from './findings.ts';

/** A subscription, with who made it and how it is set. */
export type Origin = TracedThrough & {
  readonly id: string;
  readonly madeBy: Who;
  readonly madeAt: Date;
  /** Whose account it uses now, if not the maker's. */
  readonly carriedOnBy: Who | null;
};

/** The most events listed for a message. */
export const eventsShown = 8;
/** The number of subscriptions per page, of events listed for each, and of ended subscriptions below. */
export const subscriptionsAPage = 3;
export const eventsEach = 4;
export const endedShown = 4;
/** The most subscriptions listed as the origin of a message. */
const originsShown = 4;

/** Explains why a message was posted: its events, and their subscriptions. */
export function whyThisMessage(why: {
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
  readonly postedAt: Date | null;
  readonly through: readonly (Origin & { readonly count: number })[];
  /** The first of the events. */
  readonly events: readonly TracedEvent[];
}): Message {
  const { count, through, events } = why;
  const received = count === 1 ? say`Received ` : say`${counted(count, 'change')}, received `;
  const posted = why.postedAt === null ? [] : say`, posted ${timeAfter(why.last, why.postedAt)}`;
  const [only, ...others] = through;
  const isOne = only !== undefined && others.length === 0;
  return messageOf({
    lines: isOne
      ? [describeReason(only, why.last)]
      : [say`You see this because of several subscriptions:`, ...originLines(through, why.last)],
    rows: present<MessageRow>([
      { lines: [say`${received}${span(why.first, why.last)}${posted}.`] },
      // The message itself shows a single change.
      count !== 1 && {
        lines: [
          say`${strong('In this message')}:`,
          ...events.map(postedLine),
          ...andMore(count - events.length, 'change'),
        ],
      },
    ]),
    buttons: [isOne && rowButton('edit', only)],
  });
}

/** The message is from a person or another app. */
export const whyNotMine = notice`I didn’t post that message. I can only explain my own.`;

/** The message is the bot's, but neither an event nor anybody's act is stored for it. */
export function whyNoEvents(retentionDays: number): Message {
  return notice`I have no details about that message. It’s one of my own notices, or it’s older than ${counted(retentionDays, 'day')}.`;
}

/** A subscription of a channel, with its last events and the findings about it. */
export type ExplainedSubscription = {
  readonly origin: Origin;
  /** Newest first. */
  readonly events: readonly TracedEvent[];
  readonly findings: readonly Finding[];
};

/** An ended subscription. `by`: who removed it, if a person did. */
export type EndedSubscription = {
  readonly subscribed: Subscribed;
  readonly at: Date;
  readonly reason: string | null;
  readonly by: Who | null;
};

/** Explains why a channel gets its messages, or none: each subscription's last events and their outcomes. `page` counts from 0. */
export function whyThisChannel(why: {
  readonly page: number;
  readonly pages: number;
  readonly channel: readonly Finding[];
  readonly subscriptions: readonly ExplainedSubscription[];
  readonly ended: readonly EndedSubscription[];
  /** Whether it is the person's own direct message instead of a channel. */
  readonly personal: boolean;
}): Message {
  const { page, pages, subscriptions, ended, personal } = why;
  const isEmpty = subscriptions.length === 0;
  return messageOf({
    lines: [
      isEmpty ? emptyWords(personal) : say`Recent activity and what happened to it${pageOf(page, pages)}:`,
    ],
    rows: [
      ...findingRows(why.channel),
      ...subscriptions.flatMap(({ origin, events, findings }) => [
        { lines: [capital(describeOrigin(origin, null)), ...events.map(eventLine)] },
        ...findingRows(findings),
      ]),
      ...(ended.length > 0
        ? [{ lines: [say`${strong('Ended subscriptions')}:`, ...ended.map(endedLine)] }]
        : []),
    ],
    buttons: [
      isEmpty && subscribeHere(personal),
      ...pageButtons((there) => ({ act: 'why-page', page: there }), { page, pages, of: 'subscriptions' }),
    ],
  });
}

function originLines(through: readonly (Origin & { readonly count: number })[], last: Date): Phrase[] {
  const lines = through.slice(0, originsShown).map((origin): Phrase => {
    return say`• ${counted(origin.count, 'change')} through ${describeOrigin(origin, last)}`;
  });
  return [...lines, ...andMore(through.length - lines.length, 'subscription')];
}

/** Returns "You see this because Dana Ek added Harbour Tower here on Nov 3. You’ll see …". `last` is as in `describeOrigin`. */
function describeReason(origin: Origin, last: Date): Phrase {
  const { subscribed, madeBy, madeAt } = origin;
  const by: Phrase = madeBy.isReader ? say`you` : whoIs(madeBy);
  return say`You see this because ${by} added ${describeTarget(subscribed)} here on ${day(madeAt)}${accountOf(origin)}. ${settingsOf(origin, last)}`;
}

/** Returns "Harbour Tower, added by Dana Ek on Nov 3. …". `last`: when the newest event came, to mark later settings; null for the present. */
function describeOrigin(origin: Origin, last: Date | null): Phrase {
  const { subscribed, madeBy, madeAt } = origin;
  const added = say`${describeTarget(subscribed)}, added by ${whoIs(madeBy)} on ${day(madeAt)}${accountOf(origin)}`;
  return say`${added}. ${settingsOf(origin, last)}`;
}

function accountOf({ carriedOnBy }: Origin): Phrase {
  return carriedOnBy === null ? [] : say`, now using ${whose(carriedOnBy)} account`;
}

function settingsOf({ settings, changedAt }: Origin, last: Date | null): Phrase {
  const isChanged = last !== null && changedAt !== null && changedAt > last;
  return say`${isChanged ? 'Changed since then: ' : ''}${describeSettings(settings)}.`;
}

function endedLine({ subscribed, at, reason, by }: EndedSubscription): Phrase {
  return say`• ${describeTarget(subscribed)}: ${describeEnd(reason, by)}, ${time(at)}`;
}

const ends: Readonly<Record<string, string>> = {
  removed: 'removed',
  deleted: 'deleted at the service',
  'not found': 'no longer found at the service',
  'not made': 'couldn’t be set up',
  uninstalled: 'I was removed from this workspace',
};

function describeEnd(reason: string | null, by: Who | null): Phrase {
  if (reason === 'removed' && by !== null) return say`removed by ${whoIs(by)}`;
  return [(reason !== null && Object.hasOwn(ends, reason) ? ends[reason] : undefined) ?? 'ended'];
}

function span(first: Date, last: Date): Phrase {
  const isOne = last.getTime() - first.getTime() < minuteMs;
  return isOne ? [time(first)] : say`from ${time(first)} to ${timeAfter(first, last)}`;
}

/** A subscription with its current settings. `changedAt`: when those were last changed; null if never. */
export type TracedThrough = {
  readonly subscribed: Subscribed;
  readonly settings: SubscriptionSettings;
  readonly changedAt: Date | null;
};

/** An event and its outcome. */
export type TracedEvent = {
  /** Null once its details have been deleted. */
  readonly change: Change | null;
  readonly receivedAt: Date;
  readonly postedAt: Date | null;
  readonly state: 'posted' | 'pending' | 'filtered' | 'dead';
  /** As stored. */
  readonly reason: string | null;
  /** Its subscription; undefined if that is no longer stored. */
  readonly through: TracedThrough | undefined;
  /** The subscription that posted the same change, if known. */
  readonly duplicateOf: Subscribed | null;
  /** What keeps the channel silent now. */
  readonly silence: ReturnType<typeof silenceOf>;
};

/** Times closer than this are shown without repeating the day. */
const sameDayMs = 6 * hourMs;

/** Describes an event of the message being explained, without saying that it was posted. */
export function postedLine({ change, receivedAt }: TracedEvent): Phrase {
  return say`• Received ${time(receivedAt)}: ${describeChange(change)}`;
}

/** Describes an event and its outcome. The outcome comes first, because a line that is too long is cut at the end. */
export function eventLine(event: TracedEvent): Phrase {
  return say`• Received ${time(event.receivedAt)}, ${describeOutcome(event)}: ${describeChange(event.change)}`;
}

function describeChange(change: Change | null): Phrase {
  return change === null ? say`details no longer stored` : sentenceOfOne(change);
}

function describeOutcome(event: TracedEvent): Phrase {
  const { state, reason, receivedAt, postedAt } = event;
  switch (state) {
    case 'posted':
      return postedAt === null ? say`posted` : say`posted ${timeAfter(receivedAt, postedAt)}`;
    case 'pending':
      return whyWaiting(event);
    case 'filtered':
      return whyFiltered(event);
    case 'dead': {
      const { mayBePosted, fault } = deadReason(reason ?? '');
      return say`${mayBePosted ? 'may have been' : 'not'} posted, ${fault} (${typed(reason ?? 'unknown')})`;
    }
  }
}

function whyWaiting({ reason, through, silence }: TracedEvent): Phrase {
  if (reason === 'paused') return say`waiting, the subscription is paused`;
  if (reason === 'muted') {
    const what = silence?.by === 'quiet hours' ? 'quiet hours' : 'the mute';
    return say`waiting for ${what} to end${silence ? say` ${time(silence.until)}` : []}`;
  }
  return reason === 'digest' && through
    ? say`will be posted ${describeDelivery(through.settings.delivery)}`
    : say`about to be posted`;
}

function whyFiltered(event: TracedEvent): Phrase {
  const { change, reason, through, duplicateOf } = event;
  const target = through?.subscribed.target;
  switch (reason) {
    case 'path':
      // Of what is outside, only ids are stored.
      if (target && 'itemId' in target && !change?.name)
        return say`filtered: ${target.kind === 'folder' ? 'outside the folder' : 'about another item'}`;
      return say`filtered by folder${ruleOf(event, ['paths'])}`;
    case 'type':
      return say`filtered by event type${ruleOf(event, ['only'])}`;
    case 'person': {
      const rule = ruleOf(event, ['by', 'notBy']);
      // No filter names a person, so the person was hidden in the menu of a message.
      return rule.length === 0
        ? say`filtered: this person’s changes are hidden here`
        : say`filtered by person${rule}`;
    }
    case 'item':
      return say`filtered: this item, or a folder it is in, is muted here`;
    case 'covered':
      return duplicateOf === null
        ? say`duplicate`
        : say`duplicate, posted through ${describeTarget(duplicateOf)}`;
    case 'ended':
      return say`not posted, the subscription had ended`;
    case 'stale':
      return say`skipped, older than a week`;
    default:
      return say`not posted (${quoted(reason ?? 'unknown')})`;
  }
}

/** Returns " (added and deleted)": those filters of an event's subscription, if they are the ones that excluded it; nothing if none is set. */
function ruleOf({ through, receivedAt }: TracedEvent, of: readonly (keyof Filters)[]): Phrase {
  if (!through || (through.changedAt !== null && through.changedAt >= receivedAt))
    return say` (the filter was different then)`;
  const { filters, names } = through.settings;
  const set = Object.fromEntries(of.map((key) => [key, filters[key]]));
  const rule = { only: [], paths: [], by: [], notBy: [], ...set };
  return of.every((key) => filters[key].length === 0) ? [] : say` (${describeFilters(rule, names)})`;
}

/** Renders a time that follows an earlier one; without its day if the two are close. */
export function timeAfter(earlier: Date, later: Date): Marked {
  return Math.abs(later.getTime() - earlier.getTime()) < sameDayMs ? clock(later) : time(later);
}
