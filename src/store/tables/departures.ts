import { type Kysely, sql } from 'kysely';
import type { Workspace } from '../../core/model/people.ts';
import { whileAlone } from '../advisory-lock.ts';
import type { Database, DeparturesTable } from '../schema.ts';

export type Departure = Readonly<DeparturesTable>;

export type NewDeparture = Pick<Departure, 'id' | 'enterpriseId' | 'cause' | 'leftAt'>;

type Step = 'confirmedAt' | 'tokensRemovedAt' | 'purgedAt';

/** Tables that are searched for the workspaces of an organization. Events belong to subscriptions, and are too many to search. */
const namingWorkspaces = [
  'links',
  'link_attempts',
  'subscriptions',
  'lanes',
  'announcements',
  'settings',
  'requests',
  'audit',
  'imports',
  'exclusions',
  'undo_offers',
] as const;

/** The table `departures`: one row each, from Slack's event until nothing is left of the workspace. */
export function makeDepartures({ db }: { readonly db: Kysely<Database> }) {
  return {
    /**
     * Records a departure. An event that is not newer than the recorded one changes nothing; after a newer one everything is removed again.
     * If the tokens had been removed by then, the departure also has to be confirmed again.
     */
    async note({ id, enterpriseId, cause, leftAt }: NewDeparture, now: Date): Promise<void> {
      await sql`
        insert into plancast.departures as d (id, enterprise_id, cause, left_at, noted_at)
        values (${id}, ${enterpriseId}, ${cause}, ${leftAt}, ${now})
        on conflict (id) do update set
          enterprise_id = coalesce(excluded.enterprise_id, d.enterprise_id),
          cause = excluded.cause,
          left_at = excluded.left_at,
          noted_at = case when d.tokens_removed_at is null then d.noted_at else excluded.noted_at end,
          confirmed_at = case when d.tokens_removed_at is null then d.confirmed_at end,
          stood_at = null,
          tokens_removed_at = null,
          purged_at = null
        where excluded.left_at > d.left_at`.execute(db);
    },

    async byId(id: string): Promise<Departure | null> {
      const row = await db
        .selectFrom('plancast.departures')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Lists all unfinished departures, organizations first. */
    async all(): Promise<Departure[]> {
      return db
        .selectFrom('plancast.departures')
        .selectAll()
        .orderBy(sql`id is not distinct from enterprise_id`, 'desc')
        .orderBy('notedAt')
        .execute();
    },

    /** Records that a step was done, for the first time or again. */
    async done(id: string, step: Step, now: Date): Promise<void> {
      await db.updateTable('plancast.departures').set(step, now).where('id', '=', id).execute();
    },

    /** Records that the installation still exists, unless the departure was recorded again since it was read. */
    async stands({ id, leftAt }: Departure, now: Date): Promise<void> {
      await db
        .updateTable('plancast.departures')
        .set({ stoodAt: now, confirmedAt: null })
        .where('id', '=', id)
        .where('leftAt', '=', leftAt)
        .execute();
    },

    /** Deletes a departure that is finished or was a false alarm, unless it was recorded again since it was read. */
    async end({ id, leftAt }: Departure): Promise<void> {
      await db.deleteFrom('plancast.departures').where('id', '=', id).where('leftAt', '=', leftAt).execute();
    },

    /** Deletes departures of workspaces that have regained access from their organization, unless they lost it after `at`. */
    async endRevoked(ids: readonly string[], at: Date): Promise<void> {
      await db
        .deleteFrom('plancast.departures')
        .where(sql<boolean>`id = any(${[...ids]})`)
        .where('cause', '=', 'access revoked')
        .where('leftAt', '<=', at)
        .execute();
    },

    /** Returns the workspaces of an organization that have stored rows. */
    async workspacesOf(enterpriseId: string): Promise<Workspace[]> {
      const named = namingWorkspaces.map(
        (table) =>
          sql`select team_id from ${sql.table(`plancast.${table}`)} where enterprise_id = ${enterpriseId}`,
      );
      const { rows } = await sql<{ teamId: string }>`${sql.join(named, sql` union `)}`.execute(db);
      return rows.map(({ teamId }) => ({ enterpriseId, teamId }));
    },

    /** Runs `work` unless this or another process is working on the same departure. */
    whileAlone: <T>(id: string, work: () => Promise<T>): Promise<T | 'busy'> =>
      whileAlone(db, `departure ${id}`, work),
  };
}

export type Departures = ReturnType<typeof makeDepartures>;
