import type { Change } from '../../core/model/change.ts';
import type { SummaryCause } from '../../core/model/held-reason.ts';
import type { Outage } from '../../core/model/outage.ts';
import { hourMs } from '../../lib/durations.ts';
import { capital, clock, counted, type Phrase, plainly, say, strong, time } from '../text/phrase.ts';
import { commonWithin } from './sentences.ts';

/** `away`: the bot was not in the channel. `archived`: nobody could post there. `closed`: the bot could not, for any other reason. */
export type SummaryReason = SummaryCause | 'away' | 'archived' | 'closed';

/** What the title of a summary depends on. */
type Titled = {
  readonly changes: readonly Change[];
  readonly skipped?: number | undefined;
  readonly because?: SummaryReason | undefined;
  readonly since?: Date | null | undefined;
  readonly outage?: Outage | null | undefined;
};

/** "While muted: 3 changes since 14:03", "Harbour Tower · 63 changes since yesterday", "While Plancast was down (09:10–09:25): 7 changes" */
export function titleOf({ changes, skipped = 0, because, since, outage }: Titled): Phrase {
  const cause = because === undefined || because === 'digest' ? null : causeOf(because, outage ?? null);
  const skippedOnes = say`${counted(skipped, 'change')} older than a week ${skipped === 1 ? 'was' : 'were'} skipped`;
  if (changes.length === 0) {
    const nothing = skipped === 0 ? say`no changes` : skippedOnes;
    return cause === null ? capital(nothing) : say`${cause}: ${nothing}`;
  }
  return [
    ...(cause === null ? subjectOf(changes) : say`${cause}: `),
    counted(changes.length, 'change'),
    ...(since && because !== 'down' ? say` since ${time(since)}` : []),
    ...(skipped === 0 ? [] : say`. ${skippedOnes}`),
  ];
}

/** Returns "Harbour Tower · " if all changes belong to one project or session. */
function subjectOf(changes: readonly Change[]): Phrase {
  const within = commonWithin(changes);
  if (within === null) return [];
  if (within.name) return say`${strong(within.name)} · `;
  return capital(say`${within.kind} ${plainly(within.id)} · `);
}

const causes = {
  muted: 'While muted',
  paused: 'While paused',
  away: 'While I wasn’t in this channel',
  archived: 'While this channel was archived',
  closed: 'While I couldn’t post here',
  down: 'While Plancast was down',
} as const satisfies Record<Exclude<SummaryReason, 'digest'>, string>;

function causeOf(because: Exclude<SummaryReason, 'digest'>, outage: Outage | null): Phrase {
  if (because !== 'down' || outage === null) return [causes[because]];
  const { from, to } = outage;
  const show = to.getTime() - from.getTime() < halfADayMs ? clock : time;
  return say`${causes.down} (${show(from)}–${show(to)})`;
}

/** For a longer outage, a time of day without the day is ambiguous. */
const halfADayMs = 12 * hourMs;
