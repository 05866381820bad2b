import { findingsOn, type SetupFinding } from './finding.ts';

const { fault, ok, skipped } = findingsOn('clock');

/** Whose clock was read, and how many seconds it is ahead of ours; null if unknown. */
type OtherClock = { readonly of: string; readonly aheadSeconds: number | null };

/** Slack requests older than 300 s are refused, so this leaves time to act. */
const mostSeconds = 60;

/** Compares this machine's clock with the other clocks. */
export function checkClock(clocks: readonly OtherClock[]): SetupFinding {
  const known = clocks.filter((clock) => clock.aheadSeconds !== null);
  if (known.length === 0) return skipped('there was no other clock to compare with');
  const apart = known.filter(({ aheadSeconds }) => Math.abs(aheadSeconds ?? 0) > mostSeconds).map(inWords);
  if (apart.length > 0) {
    return fault(`this machine’s is ${apart.join(', ')}`, 'sync the wrong clock with NTP');
  }
  return ok(`within ${mostSeconds} s of ${known.map(({ of }) => of).join(', ')}`);
}

function inWords({ of, aheadSeconds }: OtherClock): string {
  const seconds = Math.round(aheadSeconds ?? 0);
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} ${of}’s`;
}
