import type { Change } from '../../core/model/change.ts';
import { lateMs } from '../../core/model/lane-card.ts';
import type { HeldReason } from '../../core/model/summary-lead.ts';
import { hourMs, minuteMs } from '../../lib/durations.ts';
import {
  capital,
  clock,
  counted,
  forEye,
  inBold,
  item,
  joined,
  type Phrase,
  plainly,
  say,
  strong,
  time,
} from '../text/phrase.ts';
import { arrow, deeds, isOne, isShown, thing } from './deeds.ts';
import { type Group, wasRenamed } from './grouping.ts';

/** Returns the sentence of a single change, without a sign. */
export const sentenceOfOne = (change: Change): Phrase =>
  sentenceOf({ first: change, changes: [change], things: [{ ...change, repeats: [change] }] }, false);

/** Returns the sentence of a group, `signed` as in "➕ Dana Ek added Level 1.pdf to Plans › Level 1". It counts several items, without names. */
export function sentenceOf(group: Group, signed: boolean): Phrase {
  const { sign, said } = deeds[group.first.verb];
  return [...(signed ? [forEye(`${sign} `, '')] : []), ...said(group), ...howOften(group)];
}

/** Returns the sentence of a group, and of one item that changed repeatedly, when. */
export function datedSentenceOf(group: Group, signed: boolean): Phrase {
  const sentence = sentenceOf(group, signed);
  const when = isOne(group) ? repeatedFrom(group.changes) : null;
  return when === null ? sentence : say`${sentence} · ${when}`;
}

/** Returns "17:35–17:36", from the first change to the last; null if there is only one, or no time is known. */
export function repeatedFrom(changes: readonly Change[]): Phrase | null {
  const span = changes.length > 1 ? spanOf(changes) : null;
  if (span === null) return null;
  return span.isMoment ? [clock(span.last)] : [clock(span.first), forEye('–', ' to '), clock(span.last)];
}

/** Returns one name for the list of a group, "Level 1.pdf" or "Level 1.pdf → Level 01.pdf"; the change's name is known. */
export function nameInList(change: Change): Phrase {
  const { previousName } = change;
  return wasRenamed(change) && isShown(previousName)
    ? [item(previousName), arrow, thing(change)]
    : [thing(change)];
}

/** Returns the project or session of a change, by its name or else its id. Null if it is unknown or is itself what changed. */
export function withinOf({ within, kind }: Change): Phrase | null {
  if (within === null || kind === within.kind) return null;
  return isShown(within.name) ? [plainly(within.name)] : say`${within.kind} ${plainly(within.id)}`;
}

/** Returns the project or session of a change as a heading, by its name or else its id. Null if it is unknown. */
export function headingOf({ within }: Change): Phrase | null {
  if (within === null) return null;
  const kind = within.kind === 'project' ? 'Project' : 'Session';
  return [strong(isShown(within.name) ? within.name : `${kind} ${within.id}`)];
}

/** Returns the project or session that all changes belong to; null if they belong to several. */
export function commonWithin(changes: readonly Change[]): Change['within'] {
  const [first] = changes;
  const within = first?.within ?? null;
  return changes.every((change) => change.within?.id === within?.id) ? within : null;
}

/** Returns when changes happened, as day and time: one moment, or from the first to the last. Null if no time is known. */
export function timeSpan(changes: readonly Change[]): Phrase | null {
  const span = spanOf(changes);
  if (span === null) return null;
  if (span.isMoment) return [time(span.last)];
  const end = span.last.getTime() - span.first.getTime() < halfADay ? clock(span.last) : time(span.last);
  return say`${time(span.first)} to ${end}`;
}

/** Returns "Happened today at 14:03" if all changes are more than 5 minutes old, else null. */
export function happened(changes: readonly Change[], now: Date): Phrase | null {
  const [span, when] = [spanOf(changes), timeSpan(changes)];
  if (span === null || when === null || now.getTime() - span.last.getTime() <= lateMs) return null;
  return say`Happened ${when}`;
}

const halfADay = 12 * hourMs;

function spanOf(changes: readonly Change[]): { first: Date; last: Date; isMoment: boolean } | null {
  const times = changes.map((change) => change.happenedAt.getTime()).filter((at) => Number.isFinite(at));
  if (times.length === 0) return null;
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  const isMoment = Math.floor(first / minuteMs) === Math.floor(last / minuteMs);
  return { first: new Date(first), last: new Date(last), isMoment };
}

/** Of one item: how often it changed, unless the sentence says so. The list of several items says it of each. */
function howOften(group: Group): Phrase {
  const { first, changes } = group;
  if (!isOne(group) || changes.length === 1 || first.verb === 'updated') return [];
  return [`, ${counted(changes.length, 'time')}`];
}

/** `quiet`: quiet hours. `away`: the bot was not in the channel. `archived`: nobody could post there. `closed`: the bot could not otherwise. */
export type SummaryReason = HeldReason | 'quiet' | 'away' | 'archived' | 'closed';

/** What the title of a summary depends on. */
type Titled = {
  readonly changes: readonly Change[];
  readonly skipped?: number | undefined;
  readonly because?: SummaryReason | undefined;
  readonly since?: Date | null | undefined;
};

/** "Since yesterday 9:00: 63 changes in 2 projects", "While muted: 3 changes since 14:03" */
export function titleOf({ changes, skipped = 0, because, since }: Titled): Phrase {
  const cause: Phrase | null = because === undefined || because === 'digest' ? null : [causes[because]];
  const skippedOnes = say`${counted(skipped, 'change')} older than a week ${skipped === 1 ? 'was' : 'were'} skipped`;
  if (changes.length === 0) {
    const nothing = skipped === 0 ? say`no changes` : skippedOnes;
    return cause === null ? capital(nothing) : say`${cause}: ${nothing}`;
  }
  const count = say`${counted(changes.length, 'change')}${inSeveral(changes)}`;
  const rest = skipped === 0 ? [] : say`. ${skippedOnes}`;
  if (cause !== null) return say`${cause}: ${count}${since ? say` since ${time(since)}` : []}${rest}`;
  return since ? say`${inBold(say`Since ${time(since)}`)}: ${count}${rest}` : say`${count}${rest}`;
}

/** Returns " in 2 projects and 1 session", if they are of several. */
export function inSeveral(changes: readonly Change[], before: ' in ' | ' in these ' = ' in '): Phrase {
  const places = changes.flatMap(({ within }) => within ?? []);
  const numbers = (['project', 'session'] as const).map((kind) => {
    return { kind, count: new Set(places.flatMap((each) => (each.kind === kind ? each.id : []))).size };
  });
  if (numbers.reduce((sum, { count }) => sum + count, 0) < 2) return [];
  const parts = numbers.flatMap(({ kind, count }) => (count > 0 ? [[counted(count, kind)]] : []));
  return say`${before}${joined(parts, ' and ')}`;
}

const causes = {
  muted: 'While muted',
  quiet: 'During quiet hours',
  paused: 'While paused',
  away: 'While I wasn’t in this channel',
  archived: 'While this channel was archived',
  closed: 'While I couldn’t post here',
} as const satisfies Record<Exclude<SummaryReason, 'digest'>, string>;
