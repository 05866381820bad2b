import type { Change } from '../../core/model/change.ts';
import { hourMs, minuteMs } from '../../lib/durations.ts';
import { clock, counted, forEye, item, joined, type Phrase, plainly, time } from '../text/phrase.ts';
import { arrow, deeds, isOne, isShown, thing } from './deeds.ts';
import { type Group, wasRenamed } from './grouping.ts';

/**
 * Who did what to which thing, and where: "➕ Dana Ek added Level 1.pdf to Plans › Level 1". Names of several things are not in it.
 *
 * @param signed whether it begins with the sign of its verb
 */
export function sentenceOf(group: Group, signed: boolean): Phrase {
  const { sign, said } = deeds[group.first.verb];
  return [...(signed ? [forEye(`${sign} `, '')] : []), ...said(group), ...howOften(group)];
}

/** One name of a group for a list of them: "Level 1.pdf", or "Level 1.pdf → Level 01.pdf". Null where no name is known. */
export function nameInList(change: Change): Phrase | null {
  const { name, previousName } = change;
  if (!isShown(name)) return null;
  return wasRenamed(change) && isShown(previousName)
    ? [item(previousName), arrow, thing(change)]
    : [thing(change)];
}

/** The project or session a change belongs to, by its name, else by its id. Null where it is not known or is the thing itself. */
export function withinOf({ within, kind }: Change): Phrase | null {
  if (within === null || kind === within.kind) return null;
  return isShown(within.name) ? [plainly(within.name)] : [`${within.kind} `, plainly(within.id)];
}

/** The project or session that all changes belong to, else null. */
export function commonWithin(changes: readonly Change[]): Change['within'] {
  const [first] = changes;
  const within = first?.within ?? null;
  return changes.every((change) => change.within?.id === within?.id) ? within : null;
}

/** When, as day and time: one moment, or from the first to the last. Null where no time is known. */
export function timeSpan(changes: readonly Change[]): Phrase | null {
  const span = spanOf(changes);
  if (span === null) return null;
  if (span.isMoment) return [time(span.last)];
  const end = span.last.getTime() - span.first.getTime() < halfADay ? clock(span.last) : time(span.last);
  return [time(span.first), ' to ', end];
}

/** "happened at 14:03" where all of it was more than 5 minutes ago, else null. Of half a day and more ago it names the day. */
export function happened(changes: readonly Change[], now: Date): Phrase | null {
  const span = spanOf(changes);
  if (span === null || now.getTime() - span.last.getTime() <= lateMs) return null;
  const show = now.getTime() - span.first.getTime() < halfADay ? clock : time;
  const named = show === time;
  if (span.isMoment) return [named ? 'happened ' : 'happened at ', show(span.last)];
  return [named ? 'happened ' : 'happened from ', show(span.first), ' to ', show(span.last)];
}

/** When something older than this is posted, it says when it happened (DESIGN 5). */
const lateMs = 5 * minuteMs;
const halfADay = 12 * hourMs;

function spanOf(changes: readonly Change[]): { first: Date; last: Date; isMoment: boolean } | null {
  const times = changes.map((change) => change.happenedAt.getTime()).filter((at) => Number.isFinite(at));
  if (times.length === 0) return null;
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  const isMoment = Math.floor(first / minuteMs) === Math.floor(last / minuteMs);
  return { first: new Date(first), last: new Date(last), isMoment };
}

/** "Harbour Tower · happened at 14:03", for the small line. Null where there is nothing to say. */
export function dotted(phrases: readonly (Phrase | null)[]): Phrase | null {
  const known = phrases.filter((phrase) => phrase !== null);
  return known.length === 0 ? null : joined(known, ' · ');
}

function howOften(group: Group): Phrase {
  const times = group.changes.length;
  if (times === group.things.length) return [];
  return [isOne(group) ? `, ${counted(times, 'time')}` : `, ${counted(times, 'time')} in all`];
}
