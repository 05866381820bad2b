import { randomUUID } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Grant, Link, LinkAttempt, LinkFailure, LinkFault, LinkReceipt } from '../../core/model/link.ts';
import { gridId, personOf, type SlackPerson } from '../../core/model/people.ts';
import { later } from '../../lib/durations.ts';
import { all, cell, type Db, first, json, run, sql, wrote } from '../sql.ts';
import {
  open,
  openTokens,
  type SealedTokens,
  seal,
  setTokens,
  type TokenSealing,
  tokenColumns,
} from './sealed-tokens.ts';

// The table `link_attempts`. Each step is taken by one UPDATE that names the previous step, so exactly one of any number of concurrent
// requests gets it. Tickets, states, cookies and codes are stored only as SHA-256.

/** What a person asked for before they linked, and where they did. */
type WaitingRequest = Pick<LinkAttempt, 'id' | 'channelId' | 'responseUrl' | 'request'>;

/** An attempt with the tokens that were stored for it; only the caller that takes the attempt gets them. */
type PendingAttempt = { readonly attempt: LinkAttempt; readonly grant: Grant };

/** An attempt that made a link. `receipt`: null if its person was sent it. */
export type UnfinishedAttempt = { readonly attempt: LinkAttempt; readonly receipt: LinkReceipt | null };

/** An attempt that came back from the service; only the caller that takes it gets this. */
type AnsweredAttempt = {
  readonly attempt: LinkAttempt;
  readonly cookieHash: Buffer;
  readonly codeVerifier: string;
};

type AttemptRow = Omit<LinkAttempt, 'responseUrl' | 'failure'> & {
  readonly sealedResponseUrl: string | null;
  readonly fault: LinkFault | null;
  readonly faultDetail: string | null;
};

const columns = sql`
  id, enterprise_id, team_id, user_id, channel_id, sealed_response_url, request, replaces, state_hash is not null as used, step, expires_at,
  answered_at, account, fault, fault_detail`;

/** Deletes what an attempt that has ended no longer needs. Where a command waits, the answer to it is still needed. */
const withoutSecrets = sql`
  code_hash = null, sealed_verifier = null, sealed_access_token = null, sealed_refresh_token = null`;
/** Ends an attempt without a link. */
const dead = sql`step = 'dead', sealed_response_url = null, ${withoutSecrets}`;
const isOpen = sql`step not in ('done', 'dead')`;

/** In an organization, a person's attempts are those in all its workspaces. */
const isOf = (person: SlackPerson) => sql`grid_id = ${gridId(person)} and user_id = ${person.userId}`;

const placeOf = (id: string) => ({ table: 'link_attempts', row: id }) as const;

async function attemptOf(sealing: TokenSealing, row: AttemptRow): Promise<LinkAttempt> {
  const { sealedResponseUrl, fault, faultDetail: detail, ...attempt } = row;
  const responseUrl = await open(sealing, placeOf(row.id), 'sealed_response_url', sealedResponseUrl);
  return { ...attempt, responseUrl, failure: fault === null ? null : { fault, detail } };
}

/** Locks what the person may have only so many of until the transaction ends, so that its count is exact. */
export async function queueBehindPerson(trx: Db, person: SlackPerson): Promise<void> {
  const key = `link attempts of ${gridId(person)} ${person.userId}`;
  await run(trx)`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}

/** Adds an attempt and ends the person's unopened ones: the newest wins. Returns when to try again after too many, else null. */
export const add = (
  db: Db,
  sealing: TokenSealing,
  input: {
    readonly person: SlackPerson;
    readonly channelId: string | null;
    readonly responseUrl: string | null;
    /** Any JSON value. */
    readonly request: unknown;
    readonly replaces: Link | null;
    readonly ticketHash: Buffer;
    readonly now: Date;
    readonly expiresAt: Date;
    /** At most `most` attempts of a person since `since`. */
    readonly limit: { readonly since: Date; readonly most: number };
  },
): Promise<{ readonly againAt: Date } | null> =>
  db.transaction().execute(async (trx) => {
    const { person, channelId, responseUrl, request, replaces, ticketHash, now, expiresAt, limit } = input;
    await queueBehindPerson(trx, person);
    const blocking = await cell(trx)<Date>`
      select created_at from plancast.link_attempts where ${isOf(person)} and created_at > ${limit.since}
      order by created_at desc offset ${limit.most - 1} limit 1`;
    if (blocking !== null) {
      return { againAt: later(blocking, now.getTime() - limit.since.getTime()) };
    }
    await run(trx)`update plancast.link_attempts set ${dead} where ${isOf(person)} and step = 'offered'`;
    const { enterpriseId, teamId, userId } = person;
    const id = randomUUID();
    const sealed = await seal(sealing, placeOf(id), 'sealed_response_url', responseUrl);
    await run(trx)`
      insert into plancast.link_attempts (id, enterprise_id, team_id, grid_id, user_id, channel_id, ticket_hash, sealed_response_url,
        request, replaces, step, created_at, expires_at)
      values (${id}, ${enterpriseId}, ${teamId}, ${gridId(person)}, ${userId}, ${channelId}, ${ticketHash}, ${sealed},
        ${request === null ? null : json(request)}, ${replaces && json({ account: replaces.account })}, 'offered', ${now}, ${expiresAt})`;
    return null;
  });

/** Returns the attempt of a ticket, in any step, or null if there is none that ended after `endedAfter`. */
export const byTicket = (db: Db, sealing: TokenSealing, ticketHash: Buffer, endedAfter: Date) =>
  find(db, sealing, sql`ticket_hash = ${ticketHash} and expires_at > ${endedAfter}`);

/** Returns the attempt of a browser's cookie, in any step, or null. */
export const byCookie = (db: Db, sealing: TokenSealing, cookieHash: Buffer) =>
  find(db, sealing, sql`cookie_hash = ${cookieHash}`);

async function find(db: Db, sealing: TokenSealing, which: RawBuilder<unknown>): Promise<LinkAttempt | null> {
  const row = await first(db)<AttemptRow>`select ${columns} from plancast.link_attempts where ${which}`;
  return row && attemptOf(sealing, row);
}

/** Uses up the ticket: `offered` to `sent`. Returns false if it was used or has ended. */
export async function takeTicket(
  db: Db,
  sealing: TokenSealing,
  input: {
    readonly id: string;
    readonly stateHash: Buffer;
    readonly cookieHash: Buffer;
    readonly codeVerifier: string;
    readonly now: Date;
    readonly expiresAt: Date;
  },
): Promise<boolean> {
  const { id, stateHash, cookieHash, now, expiresAt } = input;
  const verifier = await seal(sealing, placeOf(id), 'sealed_verifier', input.codeVerifier);
  return wrote(db)`
    update plancast.link_attempts set step = 'sent', state_hash = ${stateHash}, cookie_hash = ${cookieHash},
      sealed_verifier = ${verifier}, expires_at = ${expiresAt}
    where id = ${id} and step = 'offered' and expires_at > ${now}`;
}

/** Uses up the state: `sent` to `answered`. Returns null if it is unknown, expired or used. */
export async function takeState(
  db: Db,
  sealing: TokenSealing,
  stateHash: Buffer,
  now: Date,
): Promise<AnsweredAttempt | null> {
  const found = await first(db)<
    AttemptRow & { readonly cookieHash: Buffer | null; readonly sealedVerifier: string | null }
  >`
    update plancast.link_attempts set step = 'answered', answered_at = ${now}
    where state_hash = ${stateHash} and step = 'sent' and expires_at > ${now}
    returning ${columns}, cookie_hash, sealed_verifier`;
  if (found === null) return null;
  const { cookieHash, sealedVerifier, ...row } = found;
  const codeVerifier = await open(sealing, placeOf(row.id), 'sealed_verifier', sealedVerifier);
  if (cookieHash === null || codeVerifier === null) return null;
  return { attempt: await attemptOf(sealing, row), cookieHash, codeVerifier };
}

/**
 * Stores the tokens of an `answered` attempt, sealed, until the person has typed the code in Slack. Ends the person's other attempts that wait
 * like this: there is one code to enter at a time.
 * @returns false if the attempt has ended meanwhile; then nothing is stored
 */
export async function hold(
  db: Db,
  sealing: TokenSealing,
  input: {
    readonly attempt: Pick<LinkAttempt, 'id'> & SlackPerson;
    readonly codeHash: Buffer;
    readonly grant: Grant;
    readonly expiresAt: Date;
  },
): Promise<boolean> {
  const { attempt, codeHash, grant, expiresAt } = input;
  const tokens = await setTokens(sealing, placeOf(attempt.id), grant);
  return db.transaction().execute(async (trx) => {
    await queueBehindPerson(trx, attempt);
    await run(trx)`
      update plancast.link_attempts set ${dead}
      where ${isOf(attempt)} and step = 'proving' and id <> ${attempt.id}`;
    return wrote(trx)`
      update plancast.link_attempts set step = 'proving', code_hash = ${codeHash}, sealed_verifier = null, ${tokens},
        account = ${grant.account}, expires_at = ${expiresAt}
      where id = ${attempt.id} and step = 'answered'`;
  });
}

/** Counts a try at a person's code. Returns the expected hash and how many tries are left; null if none is expected or left. */
export async function countTry(
  db: Db,
  person: SlackPerson,
  now: Date,
  most: number,
): Promise<{ readonly id: string; readonly codeHash: Buffer; readonly triesLeft: number } | null> {
  const row = await first(db)<{ id: string; codeHash: Buffer | null; codeTries: number }>`
    update plancast.link_attempts set code_tries = code_tries + 1
    where ${isOf(person)} and step = 'proving' and expires_at > ${now} and code_tries < ${most}
    returning id, code_hash, code_tries`;
  return row === null || row.codeHash === null
    ? null
    : { id: row.id, codeHash: row.codeHash, triesLeft: most - row.codeTries };
}

/** Whether the newest attempt of a person got tokens and then ran out of time or tries. */
export async function lastAttemptExpired(db: Db, person: SlackPerson, now: Date): Promise<boolean> {
  const expired = await cell(db)<boolean>`
    select access_expires_at is not null and (step = 'dead' or (step <> 'done' and expires_at <= ${now}))
    from plancast.link_attempts where ${isOf(person)} order by created_at desc limit 1`;
  return expired ?? false;
}

/** After the right code: `proving` to `answered`. Of any number of concurrent requests, one gets it. */
export async function takeProving(
  db: Db,
  sealing: TokenSealing,
  id: string,
  now: Date,
): Promise<PendingAttempt | null> {
  const found = await first(db)<AttemptRow & SealedTokens>`
    update plancast.link_attempts set step = 'answered'
    where id = ${id} and step = 'proving' and expires_at > ${now}
    returning ${columns}, ${tokenColumns}`;
  if (found === null) return null;
  const { sealedAccessToken, accessExpiresAt, sealedRefreshToken, refreshExpiresAt, ...row } = found;
  const { accessToken, ...tokens } = await openTokens(sealing, placeOf(row.id), found);
  // An older release could have deleted them.
  if (accessToken === null) return null;
  const { account } = row;
  return { attempt: await attemptOf(sealing, row), grant: { ...tokens, accessToken, account } };
}

/** Ends an attempt without a link, and deletes its secrets. Changes nothing if it has ended. */
export async function end(db: Db, id: string, failure: LinkFailure | null = null): Promise<void> {
  const { fault = null, detail = null } = failure ?? {};
  await run(db)`
    update plancast.link_attempts set ${dead}, fault = ${fault}, fault_detail = ${detail}
    where id = ${id} and ${isOpen}`;
}

/** Ends an attempt that has made a link, and stores what is left to do. Another process may do that from `followUpAt` on. */
export const finish = (db: Db, id: string, receipt: LinkReceipt, followUpAt: Date): Promise<void> =>
  run(db)`
    update plancast.link_attempts set step = 'done', ${withoutSecrets}, receipt = ${json(receipt)}, follow_up_at = ${followUpAt},
      sealed_response_url = case when request is not null then sealed_response_url end
    where id = ${id}`;

/** Claims the receipt of a link, which its person is sent once; false if it is taken. */
export const takeReceipt = (db: Db, id: string): Promise<boolean> =>
  wrote(db)`update plancast.link_attempts set receipt = null where id = ${id} and receipt is not null`;

type UnfinishedRow = AttemptRow & Pick<UnfinishedAttempt, 'receipt'>;

/** Returns an attempt that made a link, if something is left to do; else null. */
export async function unfinished(
  db: Db,
  sealing: TokenSealing,
  id: string,
): Promise<UnfinishedAttempt | null> {
  const row = await first(db)<UnfinishedRow>`
    select ${columns}, receipt from plancast.link_attempts where id = ${id} and follow_up_at is not null`;
  return row && unfinishedOf(sealing, row);
}

/** Claims until `until` the attempts that made a link and whose process has left something to do. */
export async function takeUnfinished(
  db: Db,
  sealing: TokenSealing,
  now: Date,
  until: Date,
): Promise<UnfinishedAttempt[]> {
  const rows = await all(db)<UnfinishedRow>`
    update plancast.link_attempts set follow_up_at = ${until}
    where follow_up_at <= ${now} and (receipt is not null or request is not null)
    returning ${columns}, receipt`;
  return Promise.all(rows.map((row) => unfinishedOf(sealing, row)));
}

async function unfinishedOf(
  sealing: TokenSealing,
  { receipt, ...row }: UnfinishedRow,
): Promise<UnfinishedAttempt> {
  return { attempt: await attemptOf(sealing, row), receipt };
}

/** Ends all open attempts of a person, and forgets what is left to do for them. */
export async function endAll(db: Db, person: SlackPerson): Promise<void> {
  await run(db)`update plancast.link_attempts set ${dead} where ${isOf(person)} and ${isOpen}`;
  await run(db)`
    update plancast.link_attempts set request = null, receipt = null, sealed_response_url = null
    where ${isOf(person)}`;
}

/**
 * Returns the requests that wait for a person's link, and forgets them, so each is carried out once: first those of other attempts,
 * oldest first, since the person may have started again instead of finishing one. Other requests from before `since` are forgotten only.
 */
export const takeRequests = (
  db: Db,
  sealing: TokenSealing,
  attempt: Pick<LinkAttempt, 'id'> & SlackPerson,
  since: Date,
): Promise<WaitingRequest[]> =>
  db.transaction().execute(async (trx) => {
    const person = personOf(attempt);
    await queueBehindPerson(trx, person);
    const waiting = await all(trx)<
      Omit<WaitingRequest, 'responseUrl'> & { readonly sealedResponseUrl: string | null }
    >`
      select id, channel_id, request, sealed_response_url from plancast.link_attempts
      where ${isOf(person)} and request is not null and (id = ${attempt.id} or created_at > ${since})
      order by id = ${attempt.id}, created_at`;
    // An attempt that is still open can need its response URL for another request.
    await run(trx)`update plancast.link_attempts set request = null where ${isOf(person)}`;
    await run(trx)`update plancast.link_attempts set sealed_response_url = null where id = ${attempt.id}`;
    return Promise.all(
      waiting.map(async ({ sealedResponseUrl, ...one }) => {
        // Only what was typed last has an answer that the person still looks at.
        const sealed = one.id === attempt.id ? sealedResponseUrl : null;
        return { ...one, responseUrl: await open(sealing, placeOf(one.id), 'sealed_response_url', sealed) };
      }),
    );
  });

/** Ends expired attempts, deleting their tokens, and deletes attempts that ended before `endedBefore`. */
export async function clean(db: Db, now: Date, endedBefore: Date): Promise<void> {
  await run(db)`update plancast.link_attempts set ${dead} where ${isOpen} and expires_at <= ${now}`;
  await run(db)`delete from plancast.link_attempts where expires_at < ${endedBefore}`;
}
