import type { Change } from '../../core/model/change.ts';
import type { Delivery, Filters, Subscribed } from '../../core/model/subscription.ts';
import { hourMs } from '../../lib/durations.ts';
import { sentenceOfOne } from '../activity/sentences.ts';
import {
  describeDelivery,
  describeFilters,
  describeTarget,
  type SubscriptionSettings,
} from '../text/copy.ts';
import { clock, type Marked, type Phrase, quoted, say, time, typed } from '../text/phrase.ts';
import { deadReason } from './dead-reasons.ts';

/** The filter that excluded an event. */
export type FilterKind = 'type' | 'person' | 'path';

/** What happened to an event. */
export type Outcome =
  | { readonly kind: 'posted'; readonly at: Date | null }
  /** The item, or a folder it is in, is muted in the channel. */
  | { readonly kind: 'item muted' }
  /** `settings`: the ones that excluded it; null if they have changed since. */
  | { readonly kind: 'filtered'; readonly by: FilterKind; readonly settings: SubscriptionSettings | null }
  /** It is about something else of the project than the folder or file that is followed. */
  | { readonly kind: 'outside'; readonly of: 'folder' | 'file' }
  /** `of`: the subscription that posted the same change, if known. */
  | { readonly kind: 'duplicate'; readonly of: Subscribed | null }
  | { readonly kind: 'ended' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'next' }
  | { readonly kind: 'muted'; readonly by: 'mute' | 'quiet hours'; readonly until: Date | null }
  | { readonly kind: 'digest'; readonly delivery: Delivery }
  | { readonly kind: 'paused' }
  | { readonly kind: 'dead'; readonly error: string }
  | { readonly kind: 'other'; readonly reason: string };

/** An event and its outcome. */
export type TracedEvent = {
  /** Null once its details have been deleted. */
  readonly change: Change | null;
  readonly receivedAt: Date;
  readonly outcome: Outcome;
};

/** Times closer than this are shown without repeating the day. */
const sameDayMs = 6 * hourMs;

/** Describes an event of the message being explained, without saying that it was posted. */
export function postedLine({ change, receivedAt }: TracedEvent): Phrase {
  return say`• Received ${time(receivedAt)}: ${describeChange(change)}`;
}

/** Describes an event and its outcome. The outcome comes first, because a line that is too long is cut at the end. */
export function eventLine({ change, receivedAt, outcome }: TracedEvent): Phrase {
  return say`• Received ${time(receivedAt)}, ${describeOutcome(outcome, receivedAt)}: ${describeChange(change)}`;
}

function describeChange(change: Change | null): Phrase {
  if (change === null) return say`details no longer stored`;
  return sentenceOfOne(change);
}

function describeOutcome(outcome: Outcome, receivedAt: Date): Phrase {
  switch (outcome.kind) {
    case 'posted':
      return outcome.at === null ? say`posted` : say`posted ${timeAfter(receivedAt, outcome.at)}`;
    case 'item muted':
      return say`filtered: this item, or a folder it is in, is muted here`;
    case 'filtered':
      return describeFilter(outcome);
    case 'outside':
      return outcome.of === 'folder' ? say`filtered: outside the folder` : say`filtered: about another item`;
    case 'duplicate':
      return outcome.of === null
        ? say`duplicate`
        : say`duplicate, posted through ${describeTarget(outcome.of)}`;
    case 'ended':
      return say`not posted, the subscription had ended`;
    case 'stale':
      return say`skipped, older than a week`;
    case 'next':
      return say`about to be posted`;
    case 'muted': {
      const end: Phrase = outcome.until === null ? [] : say` ${time(outcome.until)}`;
      return outcome.by === 'mute'
        ? say`waiting for the mute to end${end}`
        : say`waiting for quiet hours to end${end}`;
    }
    case 'digest':
      return say`will be posted ${describeDelivery(outcome.delivery)}`;
    case 'paused':
      return say`waiting, the subscription is paused`;
    case 'dead': {
      const { mayBePosted, fault } = deadReason(outcome.error);
      return say`${mayBePosted ? 'may have been' : 'not'} posted, ${fault} (${typed(outcome.error)})`;
    }
    case 'other':
      return say`not posted (${quoted(outcome.reason)})`;
  }
}

/** Returns "filtered by event type (…)", with the filter itself if it is still set. */
function describeFilter({ by, settings }: Extract<Outcome, { kind: 'filtered' }>): Phrase {
  const kinds = { type: 'event type', person: 'person', path: 'folder' } as const;
  const filtered = say`filtered by ${kinds[by]}`;
  if (settings === null) return say`${filtered} (the filter was different then)`;
  const { filters, names } = settings;
  const none: Filters = { only: [], paths: [], by: [], notBy: [] };
  const rule: Record<FilterKind, Filters> = {
    type: { ...none, only: filters.only },
    person: { ...none, by: filters.by, notBy: filters.notBy },
    path: { ...none, paths: filters.paths },
  };
  const isStillThere = Object.values(rule[by]).some((list) => list.length > 0);
  if (isStillThere) return say`${filtered} (${describeFilters(rule[by], names)})`;
  // No filter names a person, so the person was hidden in the menu of a message.
  return by === 'person' ? say`filtered: this person’s changes are hidden here` : filtered;
}

/** Renders a time that follows an earlier one; without its day if the two are close. */
export function timeAfter(earlier: Date, later: Date): Marked {
  return Math.abs(later.getTime() - earlier.getTime()) < sameDayMs ? clock(later) : time(later);
}
