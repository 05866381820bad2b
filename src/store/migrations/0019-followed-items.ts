import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Items that people follow in their direct message. A channel's subscription feeds them, so they have no remote subscription. */
export const followedItems: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.subscriptions add column fed_by uuid`.execute(db);
    await sql`
      create index subscriptions_fed_by on plancast.subscriptions (fed_by)
        where fed_by is not null and state <> 'ended'`.execute(db);
  },
};
