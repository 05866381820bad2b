import { dayMs } from '../../lib/durations.ts';
import type { Clock } from '../model/clock.ts';
import type { Workspace } from '../model/people.ts';

/** Workspaces whose Slack refused a data table within the last day; each process finds out for itself. */
export function makeTableRefusals({ clock }: { readonly clock: Clock }) {
  const refusedAt = new Map<string, number>();
  return {
    note: ({ teamId }: Workspace): void => {
      refusedAt.set(teamId, clock.now().getTime());
    },
    /** Whether a data table may be tried in a workspace. */
    mayTry: ({ teamId }: Workspace): boolean => {
      const at = refusedAt.get(teamId);
      return at === undefined || clock.now().getTime() - at >= dayMs;
    },
  };
}

export type TableRefusals = ReturnType<typeof makeTableRefusals>;
