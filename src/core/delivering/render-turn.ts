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
import { type ClaimedLane, deadFields, deadMark, isSilent, type Turn } from './turn.ts';

/** How a turn's message is rendered, apart from its content. */
export type Style = {
  readonly look: ActivityLook;
  readonly lead: WaitingAnnouncement<Message> | undefined;
  /** What a summary waited for. */
  readonly because?: SummaryReason | undefined;
};

/** Renders a turn's message without the events that cannot be rendered, which become dead letters; null if nothing is left. */
export function renderSafely(
  bot: Bot,
  turn: Turn,
  taken: Pick<ClaimedLane, 'lane'>,
  style: Style,
): { readonly message: Message | null; readonly turn: Turn } {
  try {
    return { message: render(bot, turn, style), turn };
  } catch (error) {
    const bad = turn.shown.filter((one) => !isRenderable(bot, { ...turn, shown: [one] }, style));
    // If each event can be rendered alone but not all together, the cause is unknown, so all of them count as broken.
    const broken = (bad.length === 0 ? turn.shown : bad).map(({ event }) => event);
    bot.log.warn({ err: error, ...deadFields(taken, broken) }, 'dead letter: events cannot be rendered');
    const rest = {
      ...turn,
      shown: turn.shown.filter(({ event }) => !broken.includes(event)),
      others: [...turn.others, ...broken.map((event) => deadMark(event, ownFaults.unrenderable))],
    };
    return { message: isSilent(rest) ? null : render(bot, rest, style), turn: rest };
  }
}

function isRenderable(bot: Bot, turn: Turn, style: Style): boolean {
  try {
    render(bot, turn, style);
    return true;
  } catch {
    return false;
  }
}

function render({ clock }: Bot, turn: Turn, { look, lead, because }: Style): Message {
  return renderActivity({
    changes: turn.shown.map(({ change }) => change),
    now: clock.now(),
    mode: turn.kind === 'summary' ? 'summary' : 'live',
    skipped: turn.stale,
    endedSubscription: turn.ended.length > turn.endedUnposted.length,
    because,
    since: turn.since,
    look,
    lead: lead?.message,
    mentioned: mentionedBy(turn),
  });
}

/** Renders a message into which changes are edited; null if it has no room. A burst need not name all of them. */
export function renderCard(
  { clock }: Bot,
  card: LaneCard,
  changes: readonly Change[],
  { look }: Style,
): Message | null {
  // What was not late when the message was posted is not late now.
  const now = showsLate(card) ? clock.now() : new Date(card.begunAt);
  const activity = { changes, now, mode: 'live' as const, look };
  return card.isBulk ? renderActivity(activity) : renderIfRoom(activity);
}

/** Returns what a turn's summary waited for: what its announcement says has ended, or else what the events show. */
export function summaryReason(
  { quiet }: Pick<ClaimedLane, 'quiet'>,
  { because, shown }: Turn,
  subject: string | null,
  now: Date,
): SummaryReason | undefined {
  const isUnannounced = because === 'muted' && subject === null;
  if (!isUnannounced || quiet === null) return endings.get(subject) ?? because ?? undefined;
  const waited = shown.map(({ event: { receivedAt, subscription } }) => ({
    receivedAt,
    inDigest: subscription.delivery.when !== 'live',
  }));
  return waited.length > 0 && waitedForQuiet(quiet, waited, now) ? 'quiet' : because;
}

/** What ended, by the subject of its announcement. */
const endings: ReadonlyMap<string | null, SummaryReason> = new Map([
  [quietEndedSubject, 'quiet'],
  [resumedSubject, 'away'],
  [unarchivedSubject, 'archived'],
  [readmittedSubject, 'closed'],
]);
