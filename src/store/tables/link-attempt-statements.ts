import { type Kysely, sql, type Transaction } from 'kysely';
import { gridId, type SlackPerson } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

/** Secrets that are deleted once an attempt has ended. */
export const withoutSecrets = {
  codeHash: null,
  sealedVerifier: null,
  sealedResponseUrl: null,
  sealedAccessToken: null,
  sealedRefreshToken: null,
} as const;

/** Selects whole attempts. */
export function attempts(db: Kysely<Database>) {
  return db.selectFrom('plancast.linkAttempts').selectAll();
}

/** Selects a person's attempts; in an organization, those in all its workspaces. */
export function attemptsOf(db: Kysely<Database>, person: SlackPerson) {
  return db
    .selectFrom('plancast.linkAttempts')
    .where('gridId', '=', gridId(person))
    .where('userId', '=', person.userId);
}

/** Ends a person's open attempts and deletes their secrets. */
export function endAttemptsOf(db: Kysely<Database>, person: SlackPerson) {
  return db
    .updateTable('plancast.linkAttempts')
    .set({ step: 'dead', ...withoutSecrets })
    .where('gridId', '=', gridId(person))
    .where('userId', '=', person.userId)
    .where('step', 'not in', ['done', 'dead']);
}

/** Removes the commands that wait for a person's link. */
export function forgetRequestsOf(db: Kysely<Database>, person: SlackPerson) {
  return db
    .updateTable('plancast.linkAttempts')
    .set({ request: null })
    .where('gridId', '=', gridId(person))
    .where('userId', '=', person.userId);
}

/** Takes an attempt that is at a step: of any number of concurrent requests, one gets it. */
export function takeAtStep(db: Kysely<Database>, id: string, step: 'proving' | 'replacing') {
  return db
    .updateTable('plancast.linkAttempts')
    .set({ step: 'answered' })
    .where('id', '=', id)
    .where('step', '=', step)
    .returningAll();
}

/** Locks what the person may have only so many of until the transaction ends, so that its count is exact. */
export async function queueBehindPerson(trx: Transaction<Database>, person: SlackPerson): Promise<void> {
  const key = `link attempts of ${gridId(person)} ${person.userId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
}
