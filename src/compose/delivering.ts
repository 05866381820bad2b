import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PostOutcome } from '../core/channels/post.ts';
import { makePresentChanges } from '../core/channels/present-changes.ts';
import { makeDeliver } from '../core/delivering/deliver.ts';
import { makePrepareTurn } from '../core/delivering/prepare-turn.ts';
import { makeRecallChanges } from '../core/delivering/recall-changes.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Workspace } from '../core/model/people.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { makeRemember } from '../lib/remember.ts';
import { renderActivity } from '../messages/activity/activity.ts';
import type { Core } from './core.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

const limits = { names: { forMs: 60_000, most: 1_000 } };

type LaneDeps = {
  readonly store: Pick<StoreRoom, 'tables' | 'transact'>;
  readonly slack: Pick<SlackRoom, 'post' | 'edit' | 'lookUp' | 'nameOf'>;
  readonly core: Pick<Core, 'linking' | 'names' | 'channels'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Logger;
};

/** What gives a lane its turn, and what gives a message's changes again. */
export function composeDelivering(deps: LaneDeps) {
  const { metrics, clock, log } = deps;
  const { linking, names, channels } = deps.core;
  const { tables, transact } = deps.store;
  const { post, edit, lookUp, nameOf } = deps.slack;
  const monotonic = () => performance.now();
  // A burst asks for the same few names again and again.
  const remembered = makeRemember<string | null>({ ...limits.names, now: monotonic });
  const nameSoon = (workspace: Workspace, email: string) =>
    remembered(JSON.stringify([workspace.enterpriseId, workspace.teamId, email]), () =>
      nameOf(workspace, email),
    );
  const presentChanges = makePresentChanges({ nameOf: nameSoon, isDiscreet: names.isDiscreet });
  const recallChanges = makeRecallChanges({ loadItems: tables.items.load, presentChanges });
  const counted =
    <T extends unknown[]>(act: (...message: T) => Promise<PostOutcome>) =>
    async (...message: T) => {
      const outcome = await act(...message);
      metrics.post(outcome.kind);
      return outcome;
    };
  const deliver = makeDeliver({
    clock,
    tables,
    transact,
    post: counted(post),
    edit: counted(edit),
    lookUp,
    recallChanges,
    prepareTurn: makePrepareTurn({
      loadItems: tables.items.load,
      duplicates: tables.events.duplicates,
      presentChanges,
      emailsOf: linking.emailsOf,
    }),
    renderActivity: (input) => renderActivity({ ...input, showAllValue: 'message' }),
    pauseChannel: channels.pauseChannel,
    sleep,
    noted: metrics.settled,
    log,
  });
  return { deliver, recallChanges };
}
