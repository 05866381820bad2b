import { type Kysely, sql } from 'kysely';
import type { Grant, LinkAttempt, LinkFailure, LinkReceipt } from '../../core/model/link.ts';
import { gridId, type SlackPerson } from '../../core/model/people.ts';
import { later } from '../../lib/durations.ts';
import type { Database } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';
import {
  type AnsweredAttempt,
  type CodeTry,
  makeAttemptReader,
  type NewLinkAttempt,
  type PendingAttempt,
  type UnfinishedAttempt,
  type WaitingRequest,
} from './link-attempt-row.ts';
import {
  attempts,
  attemptsOf,
  endAttemptsOf,
  forgetRequestsOf,
  queueBehindPerson,
  takeAtStep,
  withoutSecrets,
} from './link-attempt-statements.ts';
import { makeSealedTokens, type TokenSealing } from './sealed-tokens.ts';

/**
 * The table `link_attempts`. Each step is taken by one UPDATE that names the previous step, so exactly one of any number of concurrent
 * requests gets it. Tickets, states, cookies and codes are stored only as SHA-256.
 */
export function makeLinkAttempts(deps: { readonly db: Kysely<Database>; readonly sealing: TokenSealing }) {
  const { db, sealing } = deps;
  const sealed = makeSealedTokens('link_attempts', sealing);
  const { attemptOf, pendingOf } = makeAttemptReader(sealed);

  return {
    /**
     * Adds an attempt and ends the person's earlier ones whose link was not opened yet: the newest link wins.
     * @returns null; or, after too many attempts, when the person may try again
     */
    add: (input: NewLinkAttempt): Promise<{ readonly againAt: Date } | null> =>
      db.transaction().execute(async (trx) => {
        await queueBehindPerson(trx, input.person);
        const blocking = await attemptsOf(trx, input.person)
          .select('createdAt')
          .where('createdAt', '>', input.limit.since)
          .orderBy('createdAt', 'desc')
          .offset(input.limit.most - 1)
          .executeTakeFirst();
        if (blocking !== undefined) {
          const windowMs = input.now.getTime() - input.limit.since.getTime();
          return { againAt: later(blocking.createdAt, windowMs) };
        }
        await endAttemptsOf(trx, input.person).where('step', '=', 'offered').execute();
        const { id } = await trx
          .insertInto('plancast.linkAttempts')
          .values({
            enterpriseId: input.person.enterpriseId,
            teamId: input.person.teamId,
            gridId: gridId(input.person),
            userId: input.person.userId,
            channelId: input.channelId,
            ticketHash: input.ticketHash,
            request: input.request === null ? null : JSON.stringify(input.request),
            step: 'offered',
            createdAt: input.now,
            expiresAt: input.expiresAt,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx
          .updateTable('plancast.linkAttempts')
          .set({ sealedResponseUrl: await sealed.seal(id, 'sealed_response_url', input.responseUrl) })
          .where('id', '=', id)
          .execute();
        return null;
      }),

    /** Returns the attempt of a ticket, in any step, or null if there is none since `since`. */
    async byTicket(ticketHash: Buffer, since: Date): Promise<LinkAttempt | null> {
      const row = await attempts(db)
        .where('ticketHash', '=', ticketHash)
        .where('createdAt', '>', since)
        .executeTakeFirst();
      return row ? attemptOf(row) : null;
    },

    /** Returns the attempt of a browser's cookie, in any step, or null. */
    async byCookie(cookieHash: Buffer): Promise<LinkAttempt | null> {
      const row = await attempts(db).where('cookieHash', '=', cookieHash).executeTakeFirst();
      return row ? attemptOf(row) : null;
    },

    /** Uses up the ticket: `offered` to `sent`. Returns false if it was used or has ended. */
    async takeTicket(input: {
      readonly id: string;
      readonly stateHash: Buffer;
      readonly cookieHash: Buffer;
      readonly codeVerifier: string;
      readonly now: Date;
      readonly expiresAt: Date;
    }): Promise<boolean> {
      return db
        .updateTable('plancast.linkAttempts')
        .set({
          step: 'sent',
          stateHash: input.stateHash,
          cookieHash: input.cookieHash,
          sealedVerifier: await sealed.seal(input.id, 'sealed_verifier', input.codeVerifier),
          expiresAt: input.expiresAt,
        })
        .where('id', '=', input.id)
        .where('step', '=', 'offered')
        .where('expiresAt', '>', input.now)
        .$call(wroteRow);
    },

    /** Uses up the state: `sent` to `answered`. Returns null if it is unknown, expired or used. */
    async takeState(stateHash: Buffer, now: Date): Promise<AnsweredAttempt | null> {
      const row = await db
        .updateTable('plancast.linkAttempts')
        .set({ step: 'answered', answeredAt: now })
        .where('stateHash', '=', stateHash)
        .where('step', '=', 'sent')
        .where('expiresAt', '>', now)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined || row.cookieHash === null) return null;
      const codeVerifier = await sealed.open(row.id, 'sealed_verifier', row.sealedVerifier);
      if (codeVerifier === null) return null;
      return { attempt: await attemptOf(row), cookieHash: row.cookieHash, codeVerifier };
    },

    /**
     * Stores the tokens of an `answered` attempt, sealed, while the person still has something to do in Slack. Ends the person's other
     * attempts that wait like this: there is one code to enter and one question to answer at a time.
     * @returns false if the attempt has ended meanwhile; then nothing is stored
     */
    async hold(input: {
      readonly attempt: Pick<LinkAttempt, 'id'> & SlackPerson;
      readonly step: 'proving' | 'replacing';
      readonly codeHash: Buffer | null;
      readonly grant: Grant;
      readonly expiresAt: Date;
    }): Promise<boolean> {
      const { attempt, grant } = input;
      const tokens = await sealed.sealTokens(attempt.id, grant);
      return db.transaction().execute(async (trx) => {
        await queueBehindPerson(trx, attempt);
        await endAttemptsOf(trx, attempt)
          .where('step', 'in', ['proving', 'replacing'])
          .where('id', '!=', attempt.id)
          .execute();
        return trx
          .updateTable('plancast.linkAttempts')
          .set({
            step: input.step,
            codeHash: input.codeHash,
            sealedVerifier: null,
            ...tokens,
            account: grant.account,
            scope: grant.scope,
            expiresAt: input.expiresAt,
          })
          .where('id', '=', attempt.id)
          .where('step', '=', 'answered')
          .$call(wroteRow);
      });
    },

    /** Counts a try at a person's code. Returns null if no code is expected, or no tries are left. */
    async countTry(person: SlackPerson, now: Date, most: number): Promise<CodeTry | null> {
      const row = await db
        .updateTable('plancast.linkAttempts')
        .set({ codeTries: sql`code_tries + 1` })
        .where('gridId', '=', gridId(person))
        .where('userId', '=', person.userId)
        .where('step', '=', 'proving')
        .where('expiresAt', '>', now)
        .where('codeTries', '<', most)
        .returning(['id', 'codeHash', 'codeTries'])
        .executeTakeFirst();
      return row?.codeHash == null
        ? null
        : { id: row.id, codeHash: row.codeHash, triesLeft: most - row.codeTries };
    },

    /** Whether the newest attempt of a person got tokens and then ran out of time or tries. */
    async lastAttemptExpired(person: SlackPerson, now: Date): Promise<boolean> {
      const row = await attemptsOf(db, person)
        .select(['step', 'accessExpiresAt', 'expiresAt'])
        .orderBy('createdAt', 'desc')
        .executeTakeFirst();
      if (row === undefined || row.accessExpiresAt === null) return false;
      return row.step === 'dead' || (row.step !== 'done' && row.expiresAt <= now);
    },

    /** After the right code: `proving` to `answered`. */
    async takeProving(id: string, now: Date): Promise<PendingAttempt | null> {
      return pendingOf(await takeAtStep(db, id, 'proving').where('expiresAt', '>', now).executeTakeFirst());
    },

    /** After the answer to the question: `replacing` to `answered`. Returns null if this person was not asked. */
    async takeReplacing(id: string, person: SlackPerson, now: Date): Promise<PendingAttempt | null> {
      const row = await takeAtStep(db, id, 'replacing')
        .where('gridId', '=', gridId(person))
        .where('userId', '=', person.userId)
        .where('expiresAt', '>', now)
        .executeTakeFirst();
      return pendingOf(row);
    },

    /** Ends an attempt without a link, and deletes its secrets. Changes nothing if it has ended. */
    async end(id: string, failure: LinkFailure | null = null): Promise<void> {
      const { fault = null, detail: faultDetail = null } = failure ?? {};
      await db
        .updateTable('plancast.linkAttempts')
        .set({ step: 'dead', ...withoutSecrets, fault, faultDetail })
        .where('id', '=', id)
        .where('step', 'not in', ['done', 'dead'])
        .execute();
    },

    /** Ends an attempt that has made a link, and stores what is left to do. Another process may do that from `followUpAt` on. */
    async finish(id: string, receipt: LinkReceipt, followUpAt: Date): Promise<void> {
      await db
        .updateTable('plancast.linkAttempts')
        .set({ step: 'done', ...withoutSecrets, receipt: JSON.stringify(receipt), followUpAt })
        .where('id', '=', id)
        .execute();
    },

    /** Records that a person was sent the receipt of their link, or cannot be sent it. */
    async receiptSent(id: string): Promise<void> {
      await db.updateTable('plancast.linkAttempts').set({ receipt: null }).where('id', '=', id).execute();
    },

    /** Claims until `until` the attempts that made a link and whose process has left something to do. */
    async takeUnfinished(now: Date, until: Date): Promise<UnfinishedAttempt[]> {
      const rows = await db
        .updateTable('plancast.linkAttempts')
        .set({ followUpAt: until })
        .where('followUpAt', '<=', now)
        .where((row) => row.or([row('receipt', 'is not', null), row('request', 'is not', null)]))
        .returningAll()
        .execute();
      return Promise.all(rows.map(async (row) => ({ attempt: await attemptOf(row), receipt: row.receipt })));
    },

    /** Ends all open attempts of a person, and forgets what is left to do for them. */
    async endAll(person: SlackPerson): Promise<void> {
      await endAttemptsOf(db, person).execute();
      await forgetRequestsOf(db, person).set({ receipt: null }).execute();
    },

    /**
     * Returns the requests that wait for a person's link, and forgets them, so each is carried out once: first those of other attempts,
     * oldest first, since the person may have started again instead of finishing one. Other requests from before `since` are forgotten only.
     */
    takeRequests: ({ id, ...person }: Pick<LinkAttempt, 'id'> & SlackPerson, since: Date) =>
      db.transaction().execute(async (trx): Promise<WaitingRequest[]> => {
        await queueBehindPerson(trx, person);
        const waiting = await attemptsOf(trx, person)
          .select(['id', 'channelId', 'request'])
          .where('request', 'is not', null)
          .where((row) => row.or([row('id', '=', id), row('createdAt', '>', since)]))
          // Older releases carried out a request and kept it.
          .where((row) => row.or([row('step', '!=', 'done'), row('followUpAt', 'is not', null)]))
          .orderBy((row) => row('id', '=', id))
          .orderBy('createdAt')
          .execute();
        await forgetRequestsOf(trx, person).execute();
        return waiting;
      }),

    /** Ends expired attempts, deleting their tokens, and deletes attempts created before `createdBefore`. */
    async clean(
      now: Date,
      createdBefore: Date,
    ): Promise<{ readonly ended: number; readonly removed: number }> {
      const ended = await db
        .updateTable('plancast.linkAttempts')
        .set({ step: 'dead', ...withoutSecrets })
        .where('step', 'not in', ['done', 'dead'])
        .where('expiresAt', '<=', now)
        .executeTakeFirst();
      const removed = await db
        .deleteFrom('plancast.linkAttempts')
        .where('createdAt', '<', createdBefore)
        .executeTakeFirst();
      return { ended: Number(ended.numUpdatedRows), removed: Number(removed.numDeletedRows) };
    },
  };
}

export type LinkAttempts = ReturnType<typeof makeLinkAttempts>;
