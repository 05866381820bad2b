import type { WorkspaceFilter } from '../core/model/any-request.ts';
import { unmatchedCount } from '../core/model/filters.ts';
import { checksToWarn, pausedByPerson } from '../core/model/pause-reason.ts';
import type { Workspace } from '../core/model/people.ts';
import { all, type Db, sql } from './sql.ts';
import { knownNames, lacksIdPath } from './tables/known-names.ts';
import { listOf, type Subscription, subscriptionColumns } from './tables/subscription-row.ts';
import { isUnmatched } from './tables/traces.ts';

// All live subscriptions of a workspace.

/** How many subscriptions a channel has. */
export type ChannelCount = { readonly channelId: string; readonly count: number };

/** Paused by something other than a person, or with a trouble that is stored (`remoteTrouble`, `findTroubles`). */
const hasProblem = sql`(
  (state = 'paused' and reason is distinct from ${pausedByPerson})
  or coalesce((health ->> 'oddChecks')::int, 0) >= ${checksToWarn}
  or coalesce((health ->> 'failedChecks')::int, 0) >= ${checksToWarn}
  or ${lacksIdPath} or ${isUnmatched(unmatchedCount)})`;

const inState = {
  all: sql`true`,
  working: sql`state = 'active' and not ${hasProblem}`,
  paused: sql`state = 'paused'`,
  problem: hasProblem,
};

const matching = ({ teamId }: Workspace, { state, ownerUserId, channelId }: WorkspaceFilter) => sql`
  from plancast.subscriptions s where team_id = ${teamId} and state <> 'ended' and ${inState[state]}
    ${ownerUserId === null ? sql`` : sql`and owner_user_id = ${ownerUserId}`}
    ${channelId === null ? sql`` : sql`and channel_id = ${channelId}`}`;

/** Lists the channels with matching subscriptions and how many each has, including direct messages. */
export const channels = (db: Db, workspace: Workspace, filter: WorkspaceFilter): Promise<ChannelCount[]> =>
  all(db)`select channel_id, count(*)::int ${matching(workspace, filter)} group by channel_id`;

/** Lists the subscriptions in some channels that match the filter, channel by channel, oldest first. */
export const list = (
  db: Db,
  workspace: Workspace,
  filter: WorkspaceFilter,
  { channelIds, offset, limit }: { channelIds: readonly string[]; offset?: number; limit?: number },
): Promise<Subscription[]> =>
  listOf(db)`
    select ${subscriptionColumns}, ${knownNames}, ${lacksIdPath} as lacks_id_path ${matching(workspace, filter)} and channel_id = any(${channelIds})
    order by channel_id, created_at, id limit ${limit} offset ${offset}`;
