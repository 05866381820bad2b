import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { makeDeliver } from '../core/deliver.ts';
import type { PauseChannel } from '../core/pause-channel.ts';
import type { Workspace } from '../core/people.ts';
import type { PostOutcome } from '../core/post.ts';
import { makePrepareTurn } from '../core/prepare-turn.ts';
import { makeRemember } from '../core/remember.ts';
import { makeRetell } from '../core/retell.ts';
import type { Figures } from '../http/figures.ts';
import { renderActivity } from '../messages/activity.ts';
import { makeLogTurn } from './log-events.ts';
import type { SlackRoom } from './wire-slack.ts';
import type { StoreRoom } from './wire-store.ts';

const limits = { names: { forMs: 60_000, most: 1_000 } };

type LaneDeps = {
  readonly store: Pick<StoreRoom, 'tables' | 'transact' | 'traces'>;
  readonly slack: Pick<SlackRoom, 'post' | 'edit' | 'lookUp'>;
  readonly nameOf: (workspace: Workspace, email: string) => Promise<string | null>;
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
  readonly pauseChannel: PauseChannel;
  readonly figures: Figures;
  readonly clock: Clock;
  readonly log: Logger;
};

/** What gives a lane its turn, and what tells a message's changes once more. */
export function wireLane(deps: LaneDeps) {
  const { nameOf, emailsOf, pauseChannel, figures, clock, log } = deps;
  const { tables, transact } = deps.store;
  const { post, edit, lookUp } = deps.slack;
  const monotonic = () => performance.now();
  // A burst asks for the same few names again and again.
  const remembered = makeRemember<string | null>({ ...limits.names, now: monotonic });
  const nameSoon = (workspace: Workspace, email: string) =>
    remembered(JSON.stringify([workspace.enterpriseId, workspace.teamId, email]), () =>
      nameOf(workspace, email),
    );
  const logTurn = makeLogTurn({ traces: deps.store.traces, log });
  const retell = makeRetell({ loadItems: tables.items.load, nameOf: nameSoon });
  const counted =
    <T extends unknown[]>(act: (...message: T) => Promise<PostOutcome>) =>
    async (...message: T) => {
      const outcome = await act(...message);
      figures.post(outcome.kind);
      return outcome;
    };
  const deliver = makeDeliver({
    clock,
    tables,
    transact,
    post: counted(post),
    edit: counted(edit),
    lookUp,
    retell,
    prepareTurn: makePrepareTurn({
      loadItems: tables.items.load,
      twins: tables.events.twins,
      nameOf: nameSoon,
      emailsOf,
    }),
    renderActivity: (input) => renderActivity({ ...input, showAllValue: 'message' }),
    pauseChannel,
    sleep,
    noted: (turn, state, at) => {
      figures.settled(turn, state, at);
      void logTurn(turn);
    },
    log,
  });
  return { deliver, retell };
}
