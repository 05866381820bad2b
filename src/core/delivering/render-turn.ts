import { type ActivityLook, renderActivity, renderIfRoom } from '../../messages/activity/activity.ts';
import type { SummaryReason } from '../../messages/activity/sentences.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import type { Bot } from '../bot.ts';
import type { Change } from '../model/change.ts';
import { type LaneCard, showsLate } from '../model/lane-card.ts';
import { waitedForQuiet } from '../model/quiet-hours.ts';
import {
  quietEndedSubject,
  readmittedSubject,
  resumedSubject,
  unarchivedSubject,
} from '../model/summary-lead.ts';
import { mentionedBy } from './pings.ts';
import { type ClaimedLane, deadFields, type Turn } from './turn.ts';

/** How a turn's message is rendered, apart from its content. */
export type Style = {
  readonly look: ActivityLook;
  readonly lead: WaitingAnnouncement<Message> | undefined;
  /** What a summary waited for. */
  readonly because?: SummaryReason | undefined;
};

/**
 * Renders a turn's message without the events that cannot be rendered; those become dead letters. `message` is null if nothing is
 * left.
 */
export function renderSafely(
  bot: Bot,
  turn: Turn,
  taken: Pick<ClaimedLane, 'lane' | 'waiting'>,
  style: Style,
): { readonly message: Message | null; readonly turn: Turn } {
  try {
    return { message: render(bot, turn, turn.changes, turn.since, style), turn };
  } catch (error) {
    const bad = turn.changes.flatMap((change, n) => (isRenderable(bot, turn, change, style) ? [] : [n]));
    // If each event can be rendered alone but not all together, the cause is unknown, so all of them count as broken.
    const broken = new Set(bad.length === 0 ? turn.changes.keys() : bad);
    const seqs = turn.posted.filter((_, index) => broken.has(index));
    bot.log.warn({ err: error, ...deadFields(taken, seqs) }, 'dead letter: events cannot be rendered');
    const rest = without(turn, broken);
    const isSilent = rest.changes.length + rest.stale === 0;
    return { message: isSilent ? null : render(bot, rest, rest.changes, rest.since, style), turn: rest };
  }
}

function isRenderable(bot: Bot, turn: Turn, change: Change, style: Style): boolean {
  try {
    render(bot, turn, [change], turn.since, style);
    return true;
  } catch {
    return false;
  }
}

/** Renders the message of a turn with these changes, which cover the time since `since`. */
export function render(
  { clock }: Pick<Bot, 'clock'>,
  turn: Turn,
  changes: readonly Change[],
  since: Date | null,
  { look, lead, because }: Style,
): Message {
  return renderActivity({
    changes,
    now: clock.now(),
    mode: turn.kind === 'summary' ? 'summary' : 'live',
    skipped: turn.stale,
    endedSubscription: turn.ended.length > turn.endedUnposted.length,
    because,
    since,
    look,
    lead: lead?.message,
    mentioned: mentionedBy(turn),
    showAllValue,
  });
}

/** Renders a message into which changes are edited; null if it has no room. A burst need not name all of them. */
export function renderCard(
  { clock }: Pick<Bot, 'clock'>,
  card: LaneCard,
  changes: readonly Change[],
  { look }: Style,
): Message | null {
  // What was not late when the message was posted is not late now.
  const now = showsLate(card) ? clock.now() : new Date(card.begunAt);
  const activity = { changes, now, mode: 'live' as const, look, showAllValue };
  return card.isBulk ? renderActivity(activity) : renderIfRoom(activity);
}

const showAllValue = 'message';

/** Returns what a turn's summary waited for: what its announcement says has ended, or else what the events show. */
export function summaryReason(
  { quiet, waiting }: Pick<ClaimedLane, 'quiet' | 'waiting'>,
  { because, posted }: Turn,
  subject: string | null,
  now: Date,
): SummaryReason | undefined {
  const isUnannounced = because === 'muted' && subject === null;
  if (!isUnannounced || quiet === null) return endings.get(subject) ?? because ?? undefined;
  const shown = new Set(posted);
  const waited = waiting.flatMap(({ seq, receivedAt, subscription: { delivery } }) =>
    shown.has(seq) ? [{ receivedAt, inDigest: delivery.when !== 'live' }] : [],
  );
  return waited.length > 0 && waitedForQuiet(quiet, waited, now) ? 'quiet' : because;
}

/** What ended, by the subject of its announcement. */
const endings: ReadonlyMap<string | null, SummaryReason> = new Map([
  [quietEndedSubject, 'quiet'],
  [resumedSubject, 'away'],
  [unarchivedSubject, 'archived'],
  [readmittedSubject, 'closed'],
]);

/** Returns a turn without the changes at the given positions, which cannot be rendered. */
function without(turn: Turn, broken: ReadonlySet<number>): Turn {
  const isWhole = (_: unknown, index: number) => !broken.has(index);
  return {
    ...turn,
    changes: turn.changes.filter(isWhole),
    posted: turn.posted.filter(isWhole),
    broken: new Map([
      ...turn.broken,
      [ownFaults.unrenderable, turn.posted.filter((seq, index) => !isWhole(seq, index))],
    ]),
  };
}
