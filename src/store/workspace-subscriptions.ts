import { type Kysely, sql } from 'kysely';
import type { Workspace } from '../core/model/people.ts';
import { noWorkspaceFilter, type WorkspaceFilter } from '../core/model/workspace-filter.ts';
import type { Database } from './schema.ts';
import { type Subscription, subscriptionOf } from './tables/subscription-row.ts';

/** How many subscriptions a channel has. */
export type ChannelCount = { readonly channelId: string; readonly count: number };

/** Questions about all live subscriptions of a workspace, or of all workspaces. */
export function makeWorkspaceSubscriptions({ db }: { readonly db: Kysely<Database> }) {
  const matching = ({ teamId }: Workspace, { state, ownerUserId, channelId }: WorkspaceFilter) => {
    let query = db
      .selectFrom('plancast.subscriptions')
      .where('team_id', '=', teamId)
      .where('state', '<>', 'ended');
    if (ownerUserId !== null) query = query.where('owner_user_id', '=', ownerUserId);
    if (channelId !== null) query = query.where('channel_id', '=', channelId);
    switch (state) {
      case 'all':
        return query;
      case 'working':
        return query.where('state', '=', 'active').where(sql<boolean>`not ${hasProblem}`);
      case 'paused':
        return query.where('state', '=', 'paused');
      case 'problem':
        return query.where(hasProblem);
    }
  };

  /** Those in some channels that fit the filter, channel by channel, the oldest of each first. */
  async function list(
    workspace: Workspace,
    filter: WorkspaceFilter,
    { channelIds, offset = 0, limit }: { channelIds: readonly string[]; offset?: number; limit?: number },
  ): Promise<Subscription[]> {
    if (channelIds.length === 0) return [];
    const rows = await matching(workspace, filter)
      .selectAll()
      .where(sql<boolean>`channel_id = any(${[...channelIds]})`)
      .orderBy('channel_id')
      .orderBy('created_at')
      .orderBy('id')
      .$if(limit !== undefined, (query) => query.limit(limit ?? 0).offset(offset))
      .execute();
    return rows.map(subscriptionOf);
  }

  return {
    /** The channels that have some, each with how many of those that fit the filter; also direct messages. */
    async channels(workspace: Workspace, filter: WorkspaceFilter): Promise<ChannelCount[]> {
      const rows = await matching(workspace, filter)
        .select('channel_id')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .groupBy('channel_id')
        .execute();
      return rows.map(({ channel_id: channelId, count }) => ({ channelId, count: Number(count) }));
    },

    list,

    /** All in some channels but followed items, which end with the subscription that feeds them and have no record of their own. */
    async exportable(workspace: Workspace, channelIds: readonly string[]): Promise<Subscription[]> {
      const rows = await list(workspace, noWorkspaceFilter, { channelIds });
      return rows.filter(({ fedBy }) => fedBy === null);
    },

    /** Workspaces that have some, in a fixed order. */
    async workspaces(): Promise<Workspace[]> {
      const rows = await db
        .selectFrom('plancast.subscriptions')
        .select('team_id')
        .select(({ fn }) => fn.max('enterprise_id').as('enterprise_id'))
        .where('state', '<>', 'ended')
        .groupBy('team_id')
        .orderBy('team_id')
        .execute();
      return rows.map(({ team_id: teamId, enterprise_id: enterpriseId }) => ({ teamId, enterpriseId }));
    },
  };
}

export type WorkspaceSubscriptions = ReturnType<typeof makeWorkspaceSubscriptions>;

/** Paused by something other than a person, or not as it should be at the service (`worryingStatus`, two checks in a row). */
const hasProblem = sql<boolean>`(
  (state = 'paused' and reason is distinct from 'by a person')
  or coalesce((health ->> 'oddChecks')::int, 0) >= 2
  or coalesce((health ->> 'failedChecks')::int, 0) >= 2)`;
