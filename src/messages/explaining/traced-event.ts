import type { Change } from '../../core/model/change.ts';
import type { silenceOf } from '../../core/model/quiet-hours.ts';
import type { Filters, Subscribed } from '../../core/model/subscription.ts';
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
