import { type Kysely, sql } from 'kysely';
import { type Channel, gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import { inChannel } from '../in-channel.ts';
import type { Database } from '../schema.ts';
import { knownNames, lacksIdPath } from './known-names.ts';
import {
  callbackColumns,
  columnsOf,
  type FoundByToken,
  foundByTokens,
  type Subscription,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

/** Creates the queries that find subscriptions. */
export function makeSubscriptionFinders(db: Kysely<Database>) {
  const rows = () =>
    db
      .selectFrom('plancast.subscriptions')
      .select(subscriptionColumns)
      .select([...knownNames('plancast.subscriptions'), lacksIdPath('plancast.subscriptions')])
      .select(({ selectFrom }) =>
        selectFrom('plancast.subscriptions as source')
          .select('source.channelId')
          .whereRef('source.id', '=', 'plancast.subscriptions.fedBy')
          .as('fedFrom'),
      );

  const ownedBy = (person: SlackPerson) =>
    rows()
      .where(sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(person)}`)
      .where('ownerUserId', '=', person.userId)
      .where('state', '<>', 'ended')
      .orderBy('createdAt');

  /** Rows that need a link, and whose owner has none. */
  const unlinked = () =>
    rows()
      .where('fedBy', 'is', null)
      .where(sql<boolean>`not exists (
        select from plancast.links l
        where l.grid_id = coalesce(plancast.subscriptions.enterprise_id, plancast.subscriptions.team_id)
          and l.user_id = plancast.subscriptions.owner_user_id)`);

  return {
    /** Returns any row by its id, including ended ones. */
    async byId(id: string): Promise<Subscription | null> {
      const row = await rows().where('id', '=', id).executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** Returns the rows of callback tokens, including ended ones, by the hash they were found by (hexadecimal). */
    async byTokenHashes(hashes: readonly Buffer[], now: Date): Promise<Map<string, FoundByToken>> {
      const found = await db
        .selectFrom('plancast.subscriptions')
        .select([...subscriptionColumns, ...callbackColumns])
        .where(sql<boolean>`callback_token_hash = any(${hashes}) or previous_token_hash = any(${hashes})`)
        .execute();
      return new Map(found.flatMap((row) => foundByTokens(row, now)));
    },

    /** Returns the sealed Key of a remote subscription; null if it has none. */
    async sealedKeyOf(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.subscriptions')
        .select('sealedKey')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.sealedKey ?? null;
    },

    /** Returns the channel's live subscription to exactly this resource, with or without its contents. */
    async ofTarget(channel: Channel, target: Target): Promise<Subscription | null> {
      const { kind, parentId, itemId } = columnsOf(target);
      const row = await rows()
        .where(inChannel(channel))
        .where('kind', '=', kind)
        .where('parentId', '=', parentId)
        .where(sql<boolean>`item_id is not distinct from ${itemId}`)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** Returns a live subscription of this workspace by its id. An id of another workspace is not found. */
    async ofWorkspace(workspace: Workspace, id: string): Promise<Subscription | null> {
      const row = await rows()
        .where('id', '=', id)
        .where('teamId', '=', workspace.teamId)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** Lists all live subscriptions of a channel, oldest first. */
    async ofChannel(channel: Channel): Promise<Subscription[]> {
      const found = await rows()
        .where(inChannel(channel))
        .where('state', '<>', 'ended')
        .orderBy('createdAt')
        .execute();
      return found.map(subscriptionOf);
    },

    /** Lists subscriptions of a channel that ended since `since`, most recently ended first, at most `limit`. */
    async endedOfChannel(channel: Channel, since: Date, limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where(inChannel(channel))
        .where('state', '=', 'ended')
        .where('endedAt', '>=', since)
        .orderBy('endedAt', 'desc')
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /** Lists all live subscriptions of a person, oldest first; in an organization, those in all its workspaces. */
    async ofPerson(person: SlackPerson): Promise<Subscription[]> {
      return (await ownedBy(person).execute()).map(subscriptionOf);
    },

    /** Lists a person's live subscriptions that use their link, oldest first; in an organization, those in all its workspaces. */
    async ofOwner(person: SlackPerson): Promise<Subscription[]> {
      return (await ownedBy(person).where('fedBy', 'is', null).execute()).map(subscriptionOf);
    },

    /** Lists all live subscriptions of a workspace. */
    async ofWholeWorkspace({ teamId }: Workspace): Promise<Subscription[]> {
      const found = await rows().where('teamId', '=', teamId).where('state', '<>', 'ended').execute();
      return found.map(subscriptionOf);
    },

    /** Returns the workspace whose subscription to a channel of an organization is the oldest live one; null if there is none. */
    async firstTeamOf(enterpriseId: string, channelId: string): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.subscriptions')
        .select('teamId')
        .where('enterpriseId', '=', enterpriseId)
        .where('channelId', '=', channelId)
        .where('state', '<>', 'ended')
        .orderBy('createdAt')
        .executeTakeFirst();
      return row?.teamId ?? null;
    },

    /** Lists channels that have a subscription paused for a reason. */
    async channelsPausedFor(reason: string): Promise<Channel[]> {
      return db
        .selectFrom('plancast.subscriptions')
        .select(['enterpriseId', 'teamId', 'channelId'])
        .distinct()
        .where('state', '=', 'paused')
        .where('reason', '=', reason)
        .execute();
    },

    /** Lists active rows whose owner has no link, at most `limit`. */
    async withoutLink(limit: number): Promise<Subscription[]> {
      const found = await unlinked()
        .where('state', '=', 'active')
        .orderBy('ownerUserId')
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /** Those of a channel's paused rows whose owner has no link. */
    async pausedWithoutLink(channel: Channel): Promise<Subscription[]> {
      const found = await unlinked().where(inChannel(channel)).where('state', '=', 'paused').execute();
      return found.map(subscriptionOf);
    },
  };
}
