import { type Kysely, sql } from 'kysely';
import { gridId, type SlackPerson } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';

/** A subscription that waits for its owner's consent. */
export type ImportedRow = {
  readonly id: string;
  readonly owner: SlackPerson;
  /** Slack's id, or `me` for the owner's direct message with the bot. */
  readonly channelId: string;
  /** Unchecked JSON. */
  readonly request: unknown;
  readonly zone: string | null;
};

type NewImport = Omit<ImportedRow, 'id'>;

/** What one run of the command imported for one owner. */
export type ImportedFor = { readonly owner: SlackPerson; readonly batch: string; readonly importedAt: Date };

/** The table `imports`: subscriptions that an operator imported, until their owner agrees or declines. */
export function makeImports({ db }: { readonly db: Kysely<Database> }) {
  const ofOwner = (batch: string, person: SlackPerson) =>
    db
      .selectFrom('plancast.imports')
      .select(['id', 'enterpriseId', 'teamId', 'ownerUserId', 'channelId', 'request', 'zone'])
      .where('batch', '=', batch)
      .where((row) =>
        row.or([
          row('teamId', '=', person.teamId),
          sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(person)}`,
        ]),
      )
      .where('ownerUserId', '=', person.userId);

  return {
    /** Adds the rows of one run, whose owners have not been asked yet. Replaces a row that is already waiting. */
    async add(rows: readonly NewImport[], batch: string, now: Date): Promise<void> {
      for (const [index, { owner, channelId, request, zone }] of rows.entries()) {
        const values = {
          enterpriseId: owner.enterpriseId,
          request: JSON.stringify(request),
          zone,
          batch,
          // In the order of the file.
          createdAt: new Date(now.getTime() + index),
        };
        await db
          .insertInto('plancast.imports')
          .values({ ...values, teamId: owner.teamId, channelId, ownerUserId: owner.userId })
          .onConflict((conflict) =>
            conflict
              .expression(sql`team_id, channel_id, owner_user_id, (request -> 'target')`)
              .doUpdateSet({ ...values, askedAt: null, claimedUntil: null }),
          )
          .execute();
      }
    },

    /** Lists owners who have not been asked yet, at most `limit`, in random order. */
    async unasked(limit: number): Promise<ImportedFor[]> {
      const rows = await db
        .selectFrom('plancast.imports')
        .select(['enterpriseId', 'teamId', 'ownerUserId', 'batch'])
        .select(({ fn }) => fn.min('createdAt').as('importedAt'))
        .where('askedAt', 'is', null)
        .groupBy(['enterpriseId', 'teamId', 'ownerUserId', 'batch'])
        // Owners who cannot be reached must not keep the others waiting.
        .orderBy(sql`random()`)
        .limit(limit)
        .execute();
      return rows.map(({ enterpriseId, teamId, ownerUserId, ...run }) => ({
        owner: { enterpriseId, teamId, userId: ownerUserId },
        ...run,
      }));
    },

    async markAsked({ owner, batch }: Pick<ImportedFor, 'owner' | 'batch'>, now: Date): Promise<void> {
      await db
        .updateTable('plancast.imports')
        .set({ askedAt: now })
        .where('batch', '=', batch)
        .where('teamId', '=', owner.teamId)
        .where('ownerUserId', '=', owner.userId)
        .execute();
    },

    /** Lists the rows of one run that wait for this person, in the order of the file; in an organization, those in all its workspaces. */
    async of(batch: string, owner: SlackPerson): Promise<ImportedRow[]> {
      const rows = await ofOwner(batch, owner).orderBy('createdAt').orderBy('id').execute();
      return rows.map(({ enterpriseId, teamId, ownerUserId, ...row }) => ({
        owner: { enterpriseId, teamId, userId: ownerUserId },
        ...row,
      }));
    },

    /**
     * Claims a row until `until`, so that only one of several button presses acts on it, and a later one can if that process dies. Returns
     * false if it is claimed or gone.
     */
    async claim(id: string, { now, until }: { readonly now: Date; readonly until: Date }): Promise<boolean> {
      return db
        .updateTable('plancast.imports')
        .set({ claimedUntil: until })
        .where('id', '=', id)
        .where((row) => row.or([row('claimedUntil', 'is', null), row('claimedUntil', '<=', now)]))
        .$call(wroteRow);
    },

    /** Ends the claim of a row that could not be added, so that its owner can try again at once. */
    async unclaim(id: string, batch: string): Promise<void> {
      await db
        .updateTable('plancast.imports')
        .set({ claimedUntil: null })
        .where('id', '=', id)
        .where('batch', '=', batch)
        .execute();
    },

    /** Removes a row, unless another run has imported it again since. */
    async remove(id: string, batch: string): Promise<void> {
      await db.deleteFrom('plancast.imports').where('id', '=', id).where('batch', '=', batch).execute();
    },

    /** Removes rows that have waited since before `before`. */
    async removeOld(before: Date): Promise<void> {
      await db.deleteFrom('plancast.imports').where('createdAt', '<', before).execute();
    },
  };
}

export type Imports = ReturnType<typeof makeImports>;

type ShimImports = ReturnType<typeof makeImports>;
/** For core, which is handed the database. */
export const add = (db: Kysely<Database>, ...rest: Parameters<ShimImports['add']>) =>
  makeImports({ db }).add(...rest);
/** For core, which is handed the database. */
export const unasked = (db: Kysely<Database>, ...rest: Parameters<ShimImports['unasked']>) =>
  makeImports({ db }).unasked(...rest);
/** For core, which is handed the database. */
export const markAsked = (db: Kysely<Database>, ...rest: Parameters<ShimImports['markAsked']>) =>
  makeImports({ db }).markAsked(...rest);
/** For core, which is handed the database. */
export const of = (db: Kysely<Database>, ...rest: Parameters<ShimImports['of']>) =>
  makeImports({ db }).of(...rest);
/** For core, which is handed the database. */
export const claim = (db: Kysely<Database>, ...rest: Parameters<ShimImports['claim']>) =>
  makeImports({ db }).claim(...rest);
/** For core, which is handed the database. */
export const unclaim = (db: Kysely<Database>, ...rest: Parameters<ShimImports['unclaim']>) =>
  makeImports({ db }).unclaim(...rest);
/** For core, which is handed the database. */
export const remove = (db: Kysely<Database>, ...rest: Parameters<ShimImports['remove']>) =>
  makeImports({ db }).remove(...rest);
/** For core, which is handed the database. */
export const removeOld = (db: Kysely<Database>, ...rest: Parameters<ShimImports['removeOld']>) =>
  makeImports({ db }).removeOld(...rest);
