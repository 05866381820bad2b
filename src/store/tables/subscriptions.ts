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

type ShimSubscriptions = ReturnType<typeof makeSubscriptions>;
/** For core, which is handed the database. */
export const add = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['add']>) =>
  makeSubscriptions({ db }).add(...rest);
/** For core, which is handed the database. */
export const activate = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['activate']>) =>
  makeSubscriptions({ db }).activate(...rest);
/** For core, which is handed the database. */
export const change = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['change']>) =>
  makeSubscriptions({ db }).change(...rest);
/** For core, which is handed the database. */
export const forgetUndo = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['forgetUndo']>) =>
  makeSubscriptions({ db }).forgetUndo(...rest);
/** For core, which is handed the database. */
export const end = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['end']>) =>
  makeSubscriptions({ db }).end(...rest);
/** For core, which is handed the database. */
export const pause = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['pause']>) =>
  makeSubscriptions({ db }).pause(...rest);
/** For core, which is handed the database. */
export const pauseInstead = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['pauseInstead']>) =>
  makeSubscriptions({ db }).pauseInstead(...rest);
/** For core, which is handed the database. */
export const resume = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['resume']>) =>
  makeSubscriptions({ db }).resume(...rest);
/** For core, which is handed the database. */
export const setUpAgain = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['setUpAgain']>) =>
  makeSubscriptions({ db }).setUpAgain(...rest);
/** For core, which is handed the database. */
export const noteHealth = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['noteHealth']>) =>
  makeSubscriptions({ db }).noteHealth(...rest);
/** For core, which is handed the database. */
export const noteSignature = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['noteSignature']>
) => makeSubscriptions({ db }).noteSignature(...rest);
/** For core, which is handed the database. */
export const removeEnded = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['removeEnded']>) =>
  makeSubscriptions({ db }).removeEnded(...rest);
/** For core, which is handed the database. */
export const byId = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['byId']>) =>
  makeSubscriptions({ db }).byId(...rest);
/** For core, which is handed the database. */
export const byTokenHashes = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['byTokenHashes']>
) => makeSubscriptions({ db }).byTokenHashes(...rest);
/** For core, which is handed the database. */
export const sealedKeyOf = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['sealedKeyOf']>) =>
  makeSubscriptions({ db }).sealedKeyOf(...rest);
/** For core, which is handed the database. */
export const ofTarget = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['ofTarget']>) =>
  makeSubscriptions({ db }).ofTarget(...rest);
/** For core, which is handed the database. */
export const ofParent = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['ofParent']>) =>
  makeSubscriptions({ db }).ofParent(...rest);
/** For core, which is handed the database. */
export const ofWorkspace = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['ofWorkspace']>) =>
  makeSubscriptions({ db }).ofWorkspace(...rest);
/** For core, which is handed the database. */
export const ofOrganization = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['ofOrganization']>
) => makeSubscriptions({ db }).ofOrganization(...rest);
/** For core, which is handed the database. */
export const ofChannel = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['ofChannel']>) =>
  makeSubscriptions({ db }).ofChannel(...rest);
/** For core, which is handed the database. */
export const endedOfChannel = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['endedOfChannel']>
) => makeSubscriptions({ db }).endedOfChannel(...rest);
/** For core, which is handed the database. */
export const ofPerson = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['ofPerson']>) =>
  makeSubscriptions({ db }).ofPerson(...rest);
/** For core, which is handed the database. */
export const ofOwner = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['ofOwner']>) =>
  makeSubscriptions({ db }).ofOwner(...rest);
/** For core, which is handed the database. */
export const ofWholeWorkspace = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['ofWholeWorkspace']>
) => makeSubscriptions({ db }).ofWholeWorkspace(...rest);
/** For core, which is handed the database. */
export const firstTeamOf = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['firstTeamOf']>) =>
  makeSubscriptions({ db }).firstTeamOf(...rest);
/** For core, which is handed the database. */
export const channelsPausedFor = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['channelsPausedFor']>
) => makeSubscriptions({ db }).channelsPausedFor(...rest);
/** For core, which is handed the database. */
export const withoutLink = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['withoutLink']>) =>
  makeSubscriptions({ db }).withoutLink(...rest);
/** For core, which is handed the database. */
export const pausedWithoutLink = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['pausedWithoutLink']>
) => makeSubscriptions({ db }).pausedWithoutLink(...rest);
/** For core, which is handed the database. */
export const stuck = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['stuck']>) =>
  makeSubscriptions({ db }).stuck(...rest);
/** For core, which is handed the database. */
export const beginReplacement = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['beginReplacement']>
) => makeSubscriptions({ db }).beginReplacement(...rest);
/** For core, which is handed the database. */
export const cancelReplacement = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['cancelReplacement']>
) => makeSubscriptions({ db }).cancelReplacement(...rest);
/** For core, which is handed the database. */
export const cancelInterruptedReplacement = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['cancelInterruptedReplacement']>
) => makeSubscriptions({ db }).cancelInterruptedReplacement(...rest);
/** For core, which is handed the database. */
export const interrupted = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['interrupted']>) =>
  makeSubscriptions({ db }).interrupted(...rest);
/** For core, which is handed the database. */
export const previousRemoved = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['previousRemoved']>
) => makeSubscriptions({ db }).previousRemoved(...rest);
/** For core, which is handed the database. */
export const someAreElsewhere = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['someAreElsewhere']>
) => makeSubscriptions({ db }).someAreElsewhere(...rest);
/** For core, which is handed the database. */
export const released = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['released']>) =>
  makeSubscriptions({ db }).released(...rest);
/** For core, which is handed the database. */
export const unreleased = (db: Kysely<Database>, ...rest: Parameters<ShimSubscriptions['unreleased']>) =>
  makeSubscriptions({ db }).unreleased(...rest);
/** For core, which is handed the database. */
export const unreleasedOfWorkspace = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['unreleasedOfWorkspace']>
) => makeSubscriptions({ db }).unreleasedOfWorkspace(...rest);
/** For core, which is handed the database. */
export const otherWorkspaceOf = (
  db: Kysely<Database>,
  ...rest: Parameters<ShimSubscriptions['otherWorkspaceOf']>
) => makeSubscriptions({ db }).otherWorkspaceOf(...rest);
