import { type Kysely, sql } from 'kysely';
import { type Channel, gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import type { Database } from '../schema.ts';
import { knownNames, lacksIdPath } from './known-names.ts';
import {
  columnsOf,
  type FoundByToken,
  replacedOf,
  type Subscription,
  subscriptionOf,
} from './subscription-row.ts';

/** Finds subscriptions. */
export function makeSubscriptionFinders(db: Kysely<Database>) {
  const rows = () =>
    db
      .selectFrom('plancast.subscriptions')
      .selectAll()
      .select([...knownNames('plancast.subscriptions'), lacksIdPath('plancast.subscriptions')]);

  return {
    /** Any row by its id, ended ones included. */
    async byId(id: string): Promise<Subscription | null> {
      const row = await rows().where('id', '=', id).executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** The rows of callback tokens, including ended ones, each with the hash it was found by (hexadecimal). */
    async byTokenHashes(hashes: readonly Buffer[], now: Date): Promise<Map<string, FoundByToken>> {
      const found = await db
        .selectFrom('plancast.subscriptions')
        .selectAll()
        .where(sql<boolean>`callback_token_hash = any(${hashes}) or previous_token_hash = any(${hashes})`)
        .execute();
      return new Map(
        found.flatMap((row) => {
          const { callback_token_hash: hash, previous_token_hash: previous } = row;
          const current = { ...subscriptionOf(row), recordId: row.service_subscription_id, replaced: false };
          return [
            [hash.toString('hex'), current] as const,
            ...(previous === null ? [] : [[previous.toString('hex'), replacedOf(row, now)] as const]),
          ];
        }),
      );
    },

    /** The sealed Key of a subscription at the service; null if it has none. */
    async sealedKeyOf(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.subscriptions')
        .select('sealed_key')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.sealed_key ?? null;
    },

    /** The channel's live subscription to exactly this resource, with or without its contents. */
    async ofTarget(channel: Channel, target: Target): Promise<Subscription | null> {
      const { kind, parent_id, item_id } = columnsOf(target);
      const row = await rows()
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('kind', '=', kind)
        .where('parent_id', '=', parent_id)
        .where(sql<boolean>`item_id is not distinct from ${item_id}`)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** A live subscription of this workspace by its id. An id of another workspace is not found. */
    async ofWorkspace(workspace: Workspace, id: string): Promise<Subscription | null> {
      const row = await rows()
        .where('id', '=', id)
        .where('team_id', '=', workspace.teamId)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** All live subscriptions of a channel, oldest first. */
    async ofChannel(channel: Channel): Promise<Subscription[]> {
      const found = await rows()
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('state', '<>', 'ended')
        .orderBy('created_at')
        .execute();
      return found.map(subscriptionOf);
    },

    /** Subscriptions of a channel that ended since `since`, the last ended first, at most `limit`. */
    async endedOfChannel(channel: Channel, since: Date, limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('state', '=', 'ended')
        .where('ended_at', '>=', since)
        .orderBy('ended_at', 'desc')
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /** A person's live subscriptions that use their link, oldest first; in an organization those of all its workspaces. */
    async ofOwner(person: SlackPerson): Promise<Subscription[]> {
      const found = await rows()
        .where(sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(person)}`)
        .where('owner_user_id', '=', person.userId)
        .where('state', '<>', 'ended')
        .where('fed_by', 'is', null)
        .orderBy('created_at')
        .execute();
      return found.map(subscriptionOf);
    },

    /** All live subscriptions of a workspace. */
    async ofWholeWorkspace({ teamId }: Workspace): Promise<Subscription[]> {
      const found = await rows().where('team_id', '=', teamId).where('state', '<>', 'ended').execute();
      return found.map(subscriptionOf);
    },

    /** Channels in which something is paused for a reason. */
    async channelsPausedFor(reason: string): Promise<Channel[]> {
      const found = await db
        .selectFrom('plancast.subscriptions')
        .select(['enterprise_id', 'team_id', 'channel_id'])
        .distinct()
        .where('state', '=', 'paused')
        .where('reason', '=', reason)
        .execute();
      return found.map((row) => ({
        enterpriseId: row.enterprise_id,
        teamId: row.team_id,
        channelId: row.channel_id,
      }));
    },

    /** Active rows whose owner has no link, at most `limit`. */
    async withoutLink(limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where('state', '=', 'active')
        .where('fed_by', 'is', null)
        .where(sql<boolean>`not exists (
          select from plancast.links l
          where l.grid_id = coalesce(plancast.subscriptions.enterprise_id, plancast.subscriptions.team_id)
            and l.user_id = plancast.subscriptions.owner_user_id)`)
        .orderBy('owner_user_id')
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },
  };
}
