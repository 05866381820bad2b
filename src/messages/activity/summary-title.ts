import type { Change } from '../../core/model/change.ts';
import type { HeldReason } from '../../core/model/held-reason.ts';
import { capital, counted, type Phrase, plainly, say, strong, time } from '../text/phrase.ts';
import { commonWithin } from './sentences.ts';

/** `away`: the bot was not in the channel. `archived`: nobody could post there. `closed`: the bot could not, for any other reason. */
export type SummaryReason = HeldReason | 'away' | 'archived' | 'closed';

/** What the title of a summary depends on. */
type Titled = {
  readonly changes: readonly Change[];
  readonly skipped?: number | undefined;
  readonly because?: SummaryReason | undefined;
  readonly since?: Date | null | undefined;
};

/** "While muted: 3 changes since 14:03", "Harbour Tower · 63 changes since yesterday" */
export function titleOf({ changes, skipped = 0, because, since }: Titled): Phrase {
  const cause: Phrase | null = because === undefined || because === 'digest' ? null : [causes[because]];
  const skippedOnes = say`${counted(skipped, 'change')} older than a week ${skipped === 1 ? 'was' : 'were'} skipped`;
  if (changes.length === 0) {
    const nothing = skipped === 0 ? say`no changes` : skippedOnes;
    return cause === null ? capital(nothing) : say`${cause}: ${nothing}`;
  }
  return [
    ...(cause === null ? subjectOf(changes) : say`${cause}: `),
    counted(changes.length, 'change'),
    ...(since ? say` since ${time(since)}` : []),
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
} as const satisfies Record<Exclude<SummaryReason, 'digest'>, string>;
