import type { Change } from '../../core/model/change.ts';
import type { HeldReason } from '../../core/model/summary-lead.ts';
import { capital, counted, inBold, joined, type Phrase, say, time } from '../text/phrase.ts';

/**
 * `quiet`: by quiet hours. `away`: the bot was not in the channel. `archived`: nobody could post there. `closed`: the bot could not, for any
 * other reason.
 */
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
