import { type Kysely, sql } from 'kysely';
import type { Grant, Link, LinkTokens } from '../../core/model/link.ts';
import { gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import { whileAlone } from '../advisory-lock.ts';
import { isLockTimeout, waitLongerForLocks } from '../locks.ts';
import type { Database } from '../schema.ts';
import { type Db, first } from '../sql.ts';
import { wroteRow } from '../wrote-row.ts';
import { makeSealedTokens, type SealedTokens, type TokenSealing, tokenColumns } from './sealed-tokens.ts';

type OpenedLink = { readonly link: Link; readonly tokens: LinkTokens };

/** A link's row under its lock. Changes are committed when the work that holds the lock ends. */
export type HeldLink = OpenedLink & {
  /** Stores refreshed tokens. */
  readonly save: (tokens: LinkTokens, now: Date) => Promise<void>;
  /** Marks that the person has to link again, and deletes the tokens. */
  readonly markRelink: () => Promise<void>;
};

/** The columns of a `Link`. */
const linkColumns = [
  'id',
  'enterpriseId',
  'teamId',
  'userId',
  'account',
  'state',
  'linkedAt',
  'refreshedAt',
] as const;

/** Returns the person's link, or null. */
export const of = (db: Db, person: SlackPerson): Promise<Link | null> =>
  first(db)`
    select ${sql.join(linkColumns.map((column) => sql.ref(column)))} from plancast.links
    where grid_id = ${gridId(person)} and user_id = ${person.userId}`;

/** The table `links`: one row per person, with the tokens sealed. */
export function makeLinks(deps: { readonly db: Kysely<Database>; readonly sealing: TokenSealing }) {
  const { db, sealing } = deps;
  const { open, tokensOf, sealTokens } = makeSealedTokens('links', sealing);

  const save = async (on: Kysely<Database>, id: string, refreshed: { tokens: LinkTokens; now: Date }) => {
    await on
      .updateTable('plancast.links')
      .set({ ...(await sealTokens(id, refreshed.tokens)), refreshedAt: refreshed.now })
      .where('id', '=', id)
      .execute();
  };

  const opened = async (row: Link & SealedTokens): Promise<OpenedLink> => {
    const { sealedAccessToken, accessExpiresAt, sealedRefreshToken, refreshExpiresAt, ...link } = row;
    return { link, tokens: await tokensOf(row) };
  };

  return {
    of: (person: SlackPerson) => of(db, person),

    /** Returns a link with its current tokens, without a lock; null if it is gone. */
    async withTokens(id: string): Promise<OpenedLink | null> {
      const row = await withTokens(db, id).executeTakeFirst();
      return row ? opened(row) : null;
    },

    /**
     * Creates the person's link, or puts this account and its tokens into an existing one if `replaces` allows that for the existing
     * account. Takes several statements, so it has to be in a transaction.
     * @returns the new link and the previous one, if any; or the link that is in the way
     */
    async write(input: {
      readonly person: SlackPerson;
      readonly grant: Grant;
      readonly now: Date;
      readonly replaces: (account: string | null) => boolean;
    }): Promise<LinkWritten> {
      const { person, grant, now } = input;
      const isNew = await addEmpty(db, person, now);
      const before = await ofPerson(db, person).forUpdate().executeTakeFirstOrThrow();
      if (!isNew && !input.replaces(before.account)) return { written: false, other: before };
      const link = await db
        .updateTable('plancast.links')
        .set({
          ...(await sealTokens(before.id, grant)),
          enterpriseId: person.enterpriseId,
          teamId: person.teamId,
          account: grant.account,
          scope: grant.scope,
          state: 'active',
          relinkAskedAt: null,
          frozenAt: null,
          linkedAt: now,
          refreshedAt: now,
        })
        .where('id', '=', before.id)
        .returning(linkColumns)
        .executeTakeFirstOrThrow();
      return { written: true, link, before: isNew ? null : before };
    },

    /**
     * Runs `work` while this link's row is locked against all other processes. The transaction holds the lock, so it ends with the
     * connection of a process that dies. If `work` throws, nothing is changed and the error is rethrown.
     * @returns the result of `work`; `gone` if there is no such link, `busy` if others held it the whole time
     */
    async inLock<T>(id: string, work: (held: HeldLink) => Promise<T>): Promise<T | 'gone' | 'busy'> {
      let locked = false;
      try {
        return await db.transaction().execute(async (trx) => {
          await waitLongerForLocks(trx);
          const row = await withTokens(trx, id).forUpdate().executeTakeFirst();
          locked = true;
          if (row === undefined) return 'gone';
          return work({
            ...(await opened(row)),
            save: (tokens, now) => save(trx, id, { tokens, now }),
            markRelink: async () => {
              await trx.updateTable('plancast.links').set(relinkNeeded).where('id', '=', id).execute();
            },
          });
        });
      } catch (error) {
        if (!locked && isLockTimeout(error)) return 'busy';
        throw error;
      }
    },

    /**
     * Stores the tokens that `spent` was exchanged for, but only if the link still has `spent`: a later change wins.
     * @returns whether it was stored.
     */
    replaceSpent: (
      id: string,
      spent: string,
      refreshed: { tokens: LinkTokens; now: Date },
    ): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const row = await withTokens(trx, id).forUpdate().executeTakeFirst();
        if (row === undefined) return false;
        if ((await open(id, 'sealed_refresh_token', row.sealedRefreshToken)) !== spent) return false;
        await save(trx, id, refreshed);
        return true;
      }),

    /** Claims the request to link again, so that the person is asked once; returns false if it is already claimed. */
    async claimRelinkAsk(id: string, now: Date): Promise<boolean> {
      return db
        .updateTable('plancast.links')
        .set({ relinkAskedAt: now })
        .where('id', '=', id)
        .where('state', '=', 'relink')
        .where('relinkAskedAt', 'is', null)
        .$call(wroteRow);
    },

    /** Releases the claim, so that the person is asked again. */
    async unclaimRelinkAsk(id: string): Promise<void> {
      await db
        .updateTable('plancast.links')
        .set({ relinkAskedAt: null })
        .where('id', '=', id)
        .where('state', '=', 'relink')
        .execute();
    },

    /** Lists the ids of active links that were last refreshed before `before`, oldest first. */
    async quietSince(before: Date, most: number): Promise<readonly string[]> {
      const found = await db
        .selectFrom('plancast.links')
        .select('id')
        .where('state', '=', 'active')
        .where('refreshedAt', '<=', before)
        .orderBy('refreshedAt')
        .limit(most)
        .execute();
      return found.map(({ id }) => id);
    },

    /** Returns a link by its id, or null. */
    async byId(id: string): Promise<Link | null> {
      return (await links(db).where('id', '=', id).executeTakeFirst()) ?? null;
    },

    /** Lists a page of all links, in the order of their ids, after `id`; null starts at the beginning. */
    after: (id: string | null, most: number): Promise<Link[]> =>
      links(db)
        .$if(id !== null, (query) => query.where('id', '>', id ?? ''))
        .orderBy('id')
        .limit(most)
        .execute(),

    /** Freezes a link whose person left: its tokens are not used until it is unfrozen or the person links again. */
    async freeze(id: string, now: Date): Promise<void> {
      await db
        .updateTable('plancast.links')
        .set({ state: 'frozen', frozenAt: now })
        .where('id', '=', id)
        .where('state', '<>', 'frozen')
        .execute();
    },

    /** Unfreezes the link, which is as it was before: one without tokens needs its person to link again. Returns false if it was not frozen. */
    async thaw(id: string): Promise<boolean> {
      return db
        .updateTable('plancast.links')
        .set({
          state: sql`case when sealed_access_token is null then 'relink' else 'active' end`,
          frozenAt: null,
        })
        .where('id', '=', id)
        .where('state', '=', 'frozen')
        .$call(wroteRow);
    },

    /** Removes links that were frozen before `before`, with their tokens. */
    async removeFrozen(before: Date): Promise<void> {
      await db
        .deleteFrom('plancast.links')
        .where('state', '=', 'frozen')
        .where('frozenAt', '<', before)
        .execute();
    },

    /** Runs `work` unless it is already running for this link, in this process or another. */
    whileAlone: <T>(id: string, work: () => Promise<T>): Promise<T | 'busy'> =>
      whileAlone(db, `check link ${id}`, work),

    /** Lists all links that were created in a workspace. */
    ofWorkspace: ({ teamId }: Workspace): Promise<Link[]> => links(db).where('teamId', '=', teamId).execute(),

    /** Moves a link to another workspace of the same organization. */
    async moveTo(id: string, { teamId }: Workspace): Promise<void> {
      await db.updateTable('plancast.links').set({ teamId }).where('id', '=', id).execute();
    },

    /** Removes a link with its tokens; returns false if there was none. */
    async remove(id: string): Promise<boolean> {
      return db.deleteFrom('plancast.links').where('id', '=', id).$call(wroteRow);
    },
  };
}

export type Links = ReturnType<typeof makeLinks>;

/** The result of writing a link. */
type LinkWritten =
  | { readonly written: true; readonly link: Link; readonly before: Link | null }
  | { readonly written: false; readonly other: Link };

const relinkNeeded = {
  state: 'relink',
  relinkAskedAt: null,
  sealedAccessToken: null,
  accessExpiresAt: null,
  sealedRefreshToken: null,
  refreshExpiresAt: null,
} as const;

function links(db: Kysely<Database>) {
  return db.selectFrom('plancast.links').select(linkColumns);
}

function ofPerson(db: Kysely<Database>, person: SlackPerson) {
  return links(db).where('gridId', '=', gridId(person)).where('userId', '=', person.userId);
}

function withTokens(db: Kysely<Database>, id: string) {
  return links(db).select(tokenColumns).where('id', '=', id);
}

/** Creates the person's row to lock, in the transaction that then fills it. Returns whether there was none. */
async function addEmpty(db: Kysely<Database>, person: SlackPerson, now: Date): Promise<boolean> {
  return db
    .insertInto('plancast.links')
    .values({
      enterpriseId: person.enterpriseId,
      teamId: person.teamId,
      gridId: gridId(person),
      userId: person.userId,
      state: 'active',
      linkedAt: now,
      refreshedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['gridId', 'userId']).doNothing())
    .$call(wroteRow);
}
