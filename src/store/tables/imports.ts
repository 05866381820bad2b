import { type Kysely, type Selectable, sql } from 'kysely';
import type { SlackPerson } from '../../core/model/people.ts';
import type { Database, ImportsTable } from '../schema.ts';

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

export type NewImport = Omit<ImportedRow, 'id'>;

/** What one run of the command imported for one owner. */
export type ImportedFor = { readonly owner: SlackPerson; readonly batch: string; readonly importedAt: Date };

/** The table `imports`: subscriptions that an operator imported, until their owner agrees or declines. */
export function makeImports({ db }: { readonly db: Kysely<Database> }) {
  const ofOwner = (batch: string, { teamId, userId }: SlackPerson) =>
    db
      .selectFrom('plancast.imports')
      .selectAll()
      .where('batch', '=', batch)
      .where('team_id', '=', teamId)
      .where('owner_user_id', '=', userId);

  return {
    /** Adds rows of one run, about which their owners are still to be asked. One that waits already is replaced. */
    async add(rows: readonly NewImport[], batch: string, now: Date): Promise<void> {
      for (const [index, { owner, channelId, request, zone }] of rows.entries()) {
        const values = {
          enterprise_id: owner.enterpriseId,
          request: JSON.stringify(request),
          zone,
          batch,
          // In the order of the file.
          created_at: new Date(now.getTime() + index),
        };
        await db
          .insertInto('plancast.imports')
          .values({ ...values, team_id: owner.teamId, channel_id: channelId, owner_user_id: owner.userId })
          .onConflict((conflict) =>
            conflict
              .expression(sql`team_id, channel_id, owner_user_id, (request -> 'target')`)
              .doUpdateSet({ ...values, asked_at: null }),
          )
          .execute();
      }
    },

    /** Owners who have not been asked yet, at most `limit`, in any order. */
    async unasked(limit: number): Promise<ImportedFor[]> {
      const rows = await db
        .selectFrom('plancast.imports')
        .select(['enterprise_id', 'team_id', 'owner_user_id', 'batch'])
        .select(({ fn }) => fn.min('created_at').as('imported_at'))
        .where('asked_at', 'is', null)
        .groupBy(['enterprise_id', 'team_id', 'owner_user_id', 'batch'])
        // Those who cannot be reached must not keep the others waiting.
        .orderBy(sql`random()`)
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        owner: { enterpriseId: row.enterprise_id, teamId: row.team_id, userId: row.owner_user_id },
        batch: row.batch,
        importedAt: row.imported_at,
      }));
    },

    async markAsked({ owner, batch }: Pick<ImportedFor, 'owner' | 'batch'>, now: Date): Promise<void> {
      await db
        .updateTable('plancast.imports')
        .set({ asked_at: now })
        .where('batch', '=', batch)
        .where('team_id', '=', owner.teamId)
        .where('owner_user_id', '=', owner.userId)
        .execute();
    },

    /** What waits of one run for this very person, in the order of the file. */
    async of(batch: string, owner: SlackPerson): Promise<ImportedRow[]> {
      const rows = await ofOwner(batch, owner).orderBy('created_at').orderBy('id').execute();
      return rows.map(importedRow);
    },

    /** Removes a row; false if it was gone, so that only one of several presses acts on it. */
    async take(id: string): Promise<boolean> {
      const result = await db.deleteFrom('plancast.imports').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    /** Removes what has waited since before `before`. */
    async removeOld(before: Date): Promise<void> {
      await db.deleteFrom('plancast.imports').where('created_at', '<', before).execute();
    },
  };
}

export type Imports = ReturnType<typeof makeImports>;

function importedRow(row: Selectable<ImportsTable>): ImportedRow {
  const { id, channel_id: channelId, request, zone } = row;
  const owner = { enterpriseId: row.enterprise_id, teamId: row.team_id, userId: row.owner_user_id };
  return { id, owner, channelId, request, zone };
}
