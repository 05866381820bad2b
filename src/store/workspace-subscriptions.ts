import { type Kysely, sql } from 'kysely';
import type { Workspace } from '../core/model/people.ts';
import { noWorkspaceFilter, type WorkspaceFilter } from '../core/model/workspace-filter.ts';
import type { Database } from './schema.ts';
import { type Subscription, subscriptionColumns, subscriptionOf } from './tables/subscription-row.ts';

/** How many subscriptions a channel has. */
export type ChannelCount = { readonly channelId: string; readonly count: number };

/** Queries about all live subscriptions of a workspace, or of all workspaces. */
export function makeWorkspaceSubscriptions({ db }: { readonly db: Kysely<Database> }) {
  const matching = ({ teamId }: Workspace, { state, ownerUserId, channelId }: WorkspaceFilter) => {
    let query = db
      .selectFrom('plancast.subscriptions')
      .where('teamId', '=', teamId)
      .where('state', '<>', 'ended');
    if (ownerUserId !== null) query = query.where('ownerUserId', '=', ownerUserId);
    if (channelId !== null) query = query.where('channelId', '=', channelId);
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

  /** Lists the subscriptions in some channels that match the filter, channel by channel, oldest first. */
  async function list(
    workspace: Workspace,
    filter: WorkspaceFilter,
    { channelIds, offset = 0, limit }: { channelIds: readonly string[]; offset?: number; limit?: number },
  ): Promise<Subscription[]> {
    if (channelIds.length === 0) return [];
    const rows = await matching(workspace, filter)
      .select(subscriptionColumns)
      .where(sql<boolean>`channel_id = any(${[...channelIds]})`)
      .orderBy('channelId')
      .orderBy('createdAt')
      .orderBy('id')
      .$if(limit !== undefined, (query) => query.limit(limit ?? 0).offset(offset))
      .execute();
    return rows.map(subscriptionOf);
  }

  return {
    /** Lists the channels with matching subscriptions and how many each has, including direct messages. */
    async channels(workspace: Workspace, filter: WorkspaceFilter): Promise<ChannelCount[]> {
      const rows = await matching(workspace, filter)
        .select('channelId')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .groupBy('channelId')
        .execute();
      return rows.map(({ channelId, count }) => ({ channelId, count: Number(count) }));
    },

    list,

    /**
     * Lists all subscriptions in some channels except followed items, which end with the subscription that feeds them and have no remote
     * subscription of their own.
     */
    async exportable(workspace: Workspace, channelIds: readonly string[]): Promise<Subscription[]> {
      const rows = await list(workspace, noWorkspaceFilter, { channelIds });
      return rows.filter(({ fedBy }) => fedBy === null);
    },

    /** Lists the workspaces that have subscriptions, in a fixed order. */
    async workspaces(): Promise<Workspace[]> {
      return db
        .selectFrom('plancast.subscriptions')
        .select('teamId')
        .select(({ fn }) => fn.max('enterpriseId').as('enterpriseId'))
        .where('state', '<>', 'ended')
        .groupBy('teamId')
        .orderBy('teamId')
        .execute();
    },
  };
}

export type WorkspaceSubscriptions = ReturnType<typeof makeWorkspaceSubscriptions>;

/** Paused by something other than a person, or not in order at the service (as `worryingStatus`: two checks in a row). */
const hasProblem = sql<boolean>`(
  (state = 'paused' and reason is distinct from 'by a person')
  or coalesce((health ->> 'oddChecks')::int, 0) >= 2
  or coalesce((health ->> 'failedChecks')::int, 0) >= 2)`;
/** For core, which is handed the database. */
export const channels = (db: Kysely<Database>, ...rest: Parameters<WorkspaceSubscriptions['channels']>) =>
  makeWorkspaceSubscriptions({ db }).channels(...rest);
/** For core, which is handed the database. */
export const list = (db: Kysely<Database>, ...rest: Parameters<WorkspaceSubscriptions['list']>) =>
  makeWorkspaceSubscriptions({ db }).list(...rest);
/** For core, which is handed the database. */
export const exportable = (db: Kysely<Database>, ...rest: Parameters<WorkspaceSubscriptions['exportable']>) =>
  makeWorkspaceSubscriptions({ db }).exportable(...rest);
