import type { RawBuilder } from 'kysely';
import type { Channel, SlackPerson, Workspace } from '../../core/model/people.ts';
import type { Request } from '../../core/model/request.ts';
import { all, cell, type Db, exists, first, inOrganization, json, run, sql, wrote } from '../sql.ts';
import { queueBehindPerson } from './link-attempts.ts';

// The table `requests`: what people asked the admins of their workspace to allow, and what waits until the bot is invited to a channel (`kept`).

/**
 * A command that a person may run only if an admin allows it. `request` is as it was stored: parse it with the schema of requests before
 * using it.
 */
export type ApprovalRequest = Channel & {
  readonly id: string;
  readonly userId: string;
  readonly request: unknown;
  /** `asked`: the admins have been asked. `kept`: it waits for an invitation. */
  readonly state: 'asked' | 'allowed' | 'declined' | 'kept';
  readonly answeredBy: string | null;
};

type AskedRequest = {
  readonly person: SlackPerson;
  readonly channelId: string;
  readonly request: Request;
};
type NewRequest = AskedRequest & { readonly now: Date };

const columns = sql`id, enterprise_id, team_id, channel_id, created_by as user_id, request, state, answered_by`;

/**
 * Stores that a person asks the admins for a request, in a transaction. Returns its id; or why the admins are not asked, if they were asked for
 * just this since `since`, or for `most` others that they have not answered yet.
 */
export async function ask(
  trx: Db,
  asked: NewRequest,
  { since, most }: { readonly since: Date; readonly most: number },
): Promise<{ readonly id: string } | { readonly why: 'asked already' | 'too many' }> {
  const { person, channelId, request } = asked;
  const { teamId, userId } = person;
  await queueBehindPerson(trx, person);
  const waiting = await first(trx)<{ count: number; same: boolean }>`
    select count(*)::int, coalesce(bool_or(channel_id = ${channelId} and request = ${json(request)}), false) as same
    from plancast.requests
    where team_id = ${teamId} and created_by = ${userId} and state = 'asked' and created_at >= ${since}`;
  if (waiting?.same) return { why: 'asked already' };
  return waiting && waiting.count >= most ? { why: 'too many' } : { id: await add(trx, asked, 'asked') };
}

async function add(db: Db, asked: NewRequest, state: ApprovalRequest['state']): Promise<string> {
  const { person, channelId, request, now } = asked;
  const { enterpriseId, teamId, userId } = person;
  const id = await cell(db)<string>`
    insert into plancast.requests (enterprise_id, team_id, channel_id, created_by, request, state, created_at)
    values (${enterpriseId}, ${teamId}, ${channelId}, ${userId}, ${json(request)}, ${state}, ${now}) returning id`;
  return id ?? '';
}

/** Returns a request of this workspace by its id, or null. */
export const ofWorkspace = (db: Db, { teamId }: Workspace, id: string): Promise<ApprovalRequest | null> =>
  first(db)`select ${columns} from plancast.requests where id = ${id} and team_id = ${teamId}`;

/**
 * Answers a request of this workspace made since `since`, once. What is allowed is claimed by the process that stores the answer, which then
 * carries it out. Returns false if the request is too old, or was already answered.
 */
export const answer = (
  db: Db,
  { teamId, userId }: SlackPerson,
  answered: {
    readonly id: string;
    readonly as: 'allowed' | 'declined';
    readonly since: Date;
    readonly now: Date;
  },
): Promise<boolean> =>
  wrote(db)`
    update plancast.requests set state = ${answered.as}, answered_by = ${userId}, answered_at = ${answered.now},
      claimed_at = case when ${answered.as === 'allowed'} then ${answered.now}::timestamptz end
    where id = ${answered.id} and team_id = ${teamId} and state = 'asked' and created_at >= ${answered.since}`;

/** Whether an admin has allowed this person exactly this request, in this channel, since `since`. */
export const isAllowed = (
  db: Db,
  { person: { teamId, userId }, channelId, request }: AskedRequest,
  since: Date,
): Promise<boolean> =>
  exists(db)`
    select from plancast.requests
    where team_id = ${teamId} and created_by = ${userId} and channel_id = ${channelId} and state = 'allowed'
      and answered_at >= ${since} and request = ${json(request)} limit 1`;

/** The most requests of a person that are kept, each of another channel. */
const keptMost = 20;

/** Keeps a request until the bot is invited to its channel: of a person and channel, the newest. */
export async function keep(db: Db, kept: NewRequest): Promise<void> {
  const { person, channelId } = kept;
  const { teamId, userId } = person;
  const all = sql`plancast.requests where team_id = ${teamId} and created_by = ${userId} and state = 'kept'`;
  const older = sql`select id from ${all} and channel_id <> ${channelId} order by created_at desc offset ${keptMost - 1}`;
  await db.transaction().execute(async (trx) => {
    await queueBehindPerson(trx, person);
    await run(trx)`delete from ${all} and (channel_id = ${channelId} or id in (${older}))`;
    await add(trx, kept, 'kept');
  });
}

/** Whether a person kept a request for a channel since `since` that was not carried out to its end. */
export const hasKept = (db: Db, channel: Channel, userId: string, since: Date): Promise<boolean> =>
  exists(db)`
    select from plancast.requests
    where ${keptFor(channel)} and created_by = ${userId} and created_at >= ${since} limit 1`;

/** Claims what was kept for a channel since `since`, oldest first, and forgets what is older. */
export async function claimKept(
  db: Db,
  channel: Channel,
  { since, now }: { readonly since: Date; readonly now: Date },
): Promise<ApprovalRequest[]> {
  await run(db)`delete from plancast.requests where ${keptFor(channel)} and created_at < ${since}`;
  return claim(db, sql`${keptFor(channel)} and claimed_at is null`, now);
}

/** Claims again what was claimed before `before` and not carried out to its end, because a process died. */
export const reclaim = (
  db: Db,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<ApprovalRequest[]> => claim(db, sql`claimed_at < ${before}`, now);

const keptFor = (channel: Channel) =>
  sql`${inOrganization(channel)} and channel_id = ${channel.channelId} and state = 'kept'`;

const claim = (db: Db, which: RawBuilder<unknown>, now: Date): Promise<ApprovalRequest[]> =>
  all(db)`
    with claimed as (update plancast.requests set claimed_at = ${now} where ${which} returning *)
    select ${columns} from claimed order by created_at`;

/** Ends the claim of a request that an admin allowed: it was carried out, or could not be. */
export const carriedOut = (db: Db, id: string): Promise<void> =>
  run(db)`update plancast.requests set claimed_at = null where id = ${id}`;

/** Forgets a kept request. */
export const forgetKept = (db: Db, id: string): Promise<boolean> =>
  wrote(db)`delete from plancast.requests where id = ${id} and state = 'kept'`;

/** Deletes requests made before `before`, and what was kept before `keptBefore`. */
export const removeOld = (db: Db, before: Date, keptBefore: Date): Promise<void> =>
  run(db)`
    delete from plancast.requests
    where created_at < ${before} or state = 'kept' and created_at < ${keptBefore}`;
