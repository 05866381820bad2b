import { dayMs } from '../../lib/durations.ts';
import type { Records } from '../../lib/records.ts';
import type { Clock } from '../model/clock.ts';
import type { Workspace } from '../model/people.ts';

/** How long Slack's refusal of a data table counts, in milliseconds. */
export const tableRefusalMs = dayMs;

export type TableRefusals = {
  readonly note: (workspace: Workspace) => Promise<void>;
  /** Returns whether a data table can be tried in a workspace. */
  readonly mayTry: (workspace: Workspace) => Promise<boolean>;
};

/**
 * Remembers workspaces in which Slack refused a data table within the last day. `refusedAt`: by workspace, in milliseconds since the
 * epoch.
 */
export function makeTableRefusals({
  refusedAt,
  clock,
}: {
  readonly refusedAt: Pick<Records<number>, 'get' | 'set'>;
  readonly clock: Clock;
}): TableRefusals {
  return {
    note: ({ teamId }) => refusedAt.set(teamId, clock.now().getTime()),
    mayTry: async ({ teamId }) => {
      const at = await refusedAt.get(teamId);
      return at === undefined || clock.now().getTime() - at >= tableRefusalMs;
    },
  };
}
