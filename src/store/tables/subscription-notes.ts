import { type Kysely, sql } from 'kysely';
import type { Health } from '../../core/model/subscription.ts';
import type { Database } from '../schema.ts';

/** Records what is observed while a subscription works. */
export function makeSubscriptionNotes(db: Kysely<Database>) {
  return {
    /** Stores the result of a check for each subscription. */
    async noteHealth(notes: readonly { readonly id: string; readonly health: Health }[]): Promise<void> {
      if (notes.length === 0) return;
      await sql`
        update plancast.subscriptions s set health = n.health
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n(id uuid, health jsonb)
        where s.id = n.id`.execute(db);
    },

    /** Records the rule by which a notification's signature matched the Key; returns how many times in a row this rule has matched. */
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
