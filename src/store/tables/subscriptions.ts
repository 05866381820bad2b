import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';
import { makeSubscriptionChanges } from './subscription-changes.ts';
import { makeSubscriptionFinders } from './subscription-finders.ts';
import { makeSubscriptionUpstream } from './subscription-upstream.ts';

/** The table `subscriptions`. Ended rows stay, so that late notifications get `410` and "why?" has an answer. */
export function makeSubscriptions({ db }: { readonly db: Kysely<Database> }) {
  return {
    ...makeSubscriptionChanges(db),
    ...makeSubscriptionFinders(db),
    ...makeSubscriptionUpstream(db),
  };
}

export type Subscriptions = ReturnType<typeof makeSubscriptions>;
