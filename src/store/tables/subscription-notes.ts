import { type Kysely, sql } from 'kysely';
import type { Health } from '../../core/model/subscription.ts';
import type { Database } from '../schema.ts';

/** What is noted on a subscription while it works. */
export function makeSubscriptionNotes(db: Kysely<Database>) {
  return {
    /** Stores the result of a check of each. */
    async noteHealth(notes: readonly { readonly id: string; readonly health: Health }[]): Promise<void> {
      if (notes.length === 0) return;
      await sql`
        update plancast.subscriptions s set health = n.health
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n(id uuid, health jsonb)
        where s.id = n.id`.execute(db);
    },

    /** Notes by which rule a notification's signature fitted the Key; says how often the same one has by now. */
    async noteSignature(id: string, rule: string): Promise<number> {
      const row = await db
        .updateTable('plancast.subscriptions')
        .set({
          signatureRule: rule,
          signatureMatches: sql`case when signature_rule = ${rule} then signature_matches + 1 else 1 end`,
        })
        .where('id', '=', id)
        .returning('signatureMatches')
        .executeTakeFirst();
      return row?.signatureMatches ?? 0;
    },
  };
}
