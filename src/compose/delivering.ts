import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PauseChannel } from '../core/channels/pause-channel.ts';
import type { PostOutcome } from '../core/channels/post.ts';
import { makePresentChanges } from '../core/channels/present-changes.ts';
import { makeDeliver } from '../core/delivering/deliver.ts';
import { makePrepareTurn } from '../core/delivering/prepare-turn.ts';
import { makeRecallChanges } from '../core/delivering/recall-changes.ts';
import type { Clock } from '../core/model/clock.ts';
import { type LinkTemplates, linkTo } from '../core/model/links.ts';
import type { Channel, Workspace } from '../core/model/people.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { makeRemember } from '../lib/remember.ts';
import { renderActivity } from '../messages/activity/activity.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

const limits = { names: { forMs: 60_000, most: 1_000 } };

type LaneDeps = {
  readonly store: Pick<StoreRoom, 'tables' | 'transact'>;
  readonly slack: Pick<SlackRoom, 'post' | 'edit' | 'lookUp'>;
  readonly nameOf: (workspace: Workspace, email: string) => Promise<string | null>;
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
  readonly links: LinkTemplates;
  readonly isDiscreet: (channel: Channel) => Promise<boolean>;
  readonly pauseChannel: PauseChannel;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Logger;
};

/** What gives a lane its turn, and what tells a message's changes once more. */
export function composeDelivering(deps: LaneDeps) {
  const { nameOf, emailsOf, pauseChannel, metrics, clock, log } = deps;
  const { tables, transact } = deps.store;
  const { post, edit, lookUp } = deps.slack;
  const monotonic = () => performance.now();
  // A burst asks for the same few names again and again.
  const remembered = makeRemember<string | null>({ ...limits.names, now: monotonic });
  const nameSoon = (workspace: Workspace, email: string) =>
    remembered(JSON.stringify([workspace.enterpriseId, workspace.teamId, email]), () =>
      nameOf(workspace, email),
    );
  const presentChanges = makePresentChanges({
    nameOf: nameSoon,
    linkTo: (change) => linkTo(change, deps.links),
    isDiscreet: deps.isDiscreet,
  });
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
      emailsOf,
    }),
    renderActivity: (input) => renderActivity({ ...input, showAllValue: 'message' }),
    pauseChannel,
    sleep,
    noted: metrics.settled,
    log,
  });
  return { deliver, recallChanges };
}
