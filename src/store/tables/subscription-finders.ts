import { type Kysely, sql } from 'kysely';
import { type Channel, gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import { inChannel, inOrganization } from '../in-channel.ts';
import type { Database } from '../schema.ts';
import { knownNames, lacksIdPath } from './known-names.ts';
import {
  callbackColumns,
  columnsOf,
  type FoundByToken,
  firstOf,
  foundByTokens,
  listOf,
  type Subscription,
  subscriptionColumns,
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

  const live = () => rows().where('state', '<>', 'ended');

  const ownedBy = (person: SlackPerson) =>
    live()
      .where(sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(person)}`)
      .where('ownerUserId', '=', person.userId)
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
    byId: (id: string): Promise<Subscription | null> => firstOf(rows().where('id', '=', id)),

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
      const ofParent = live().where(inChannel(channel)).where('parentId', '=', parentId);
      const isItem = sql<boolean>`item_id is not distinct from ${itemId}`;
      return firstOf(ofParent.where('kind', '=', kind).where(isItem));
    },

    /** Lists the working and paused subscriptions of a workspace to a project or session with this id, or to something in it. */
    ofParent: ({ teamId }: Workspace, parentId: string) =>
      db
        .selectFrom('plancast.subscriptions as s')
        .select(['s.channelId', 's.ownerUserId'])
        .select([
          sql<boolean>`s.kind in ('session', 'document')`.as('isSession'),
          sql<boolean>`exists (select from plancast.channels c
            where c.team_id = s.team_id and c.channel_id = s.channel_id and c.is_shared)`.as('isShared'),
        ])
        .where('s.teamId', '=', teamId)
        .where('s.parentId', '=', parentId)
        .where('s.state', 'in', ['active', 'paused'])
        .execute(),

    /** Returns a live subscription of this workspace by its id. An id of another workspace is not found. */
    ofWorkspace: (workspace: Workspace, id: string): Promise<Subscription | null> =>
      firstOf(live().where('id', '=', id).where('teamId', '=', workspace.teamId)),

    /** Returns a live subscription of this workspace or of another one of its organization by its id. */
    ofOrganization: (workspace: Workspace, id: string): Promise<Subscription | null> =>
      firstOf(live().where('id', '=', id).where(inOrganization(workspace))),

    /** Lists all live subscriptions of a channel, oldest first. */
    ofChannel: (channel: Channel): Promise<Subscription[]> =>
      listOf(live().where(inChannel(channel)).orderBy('createdAt')),

    /** Lists subscriptions of a channel that ended since `since`, most recently ended first, at most `limit`. */
    endedOfChannel: (channel: Channel, since: Date, limit: number): Promise<Subscription[]> =>
      listOf(
        rows()
          .where(inChannel(channel))
          .where('state', '=', 'ended')
          .where('endedAt', '>=', since)
          .orderBy('endedAt', 'desc')
          .limit(limit),
      ),

    /** Lists all live subscriptions of a person, oldest first; in an organization, those in all its workspaces. */
    ofPerson: (person: SlackPerson): Promise<Subscription[]> => listOf(ownedBy(person)),

    /** Lists a person's live subscriptions that use their link, oldest first; in an organization, those in all its workspaces. */
    ofOwner: (person: SlackPerson): Promise<Subscription[]> =>
      listOf(ownedBy(person).where('fedBy', 'is', null)),

    /** Lists all live subscriptions of a workspace. */
    ofWholeWorkspace: ({ teamId }: Workspace): Promise<Subscription[]> =>
      listOf(live().where('teamId', '=', teamId)),

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
    withoutLink: (limit: number): Promise<Subscription[]> =>
      listOf(unlinked().where('state', '=', 'active').orderBy('ownerUserId').limit(limit)),

    /** Those of a channel's paused rows whose owner has no link. */
    pausedWithoutLink: (channel: Channel): Promise<Subscription[]> =>
      listOf(unlinked().where(inChannel(channel)).where('state', '=', 'paused')),
  };
}
