import type { Kysely, Transaction } from 'kysely';
import type { Grant, Link, LinkTokens } from '../../core/model/link.ts';
import type { SlackPerson, Workspace } from '../../core/model/people.ts';
import { gridId } from '../../core/model/people.ts';
import { whileAlone } from '../advisory-lock.ts';
import { isWaitInVain, waitLongerForLocks } from '../locks.ts';
import type { Database } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { type LinkRow, linkOf, makeSealedLink } from './link-row.ts';

/** A link's row under its lock. Changes are committed when the work that holds the lock ends. */
export type HeldLink = {
  readonly link: Link;
  readonly tokens: LinkTokens;
  /** Stores what a refresh gave. */
  readonly save: (tokens: LinkTokens, now: Date) => Promise<void>;
  /** Marks that the person has to link again, and forgets the tokens. */
  readonly markRelink: () => Promise<void>;
};

/** The table `links`: one row a person, with the tokens sealed. */
export function makeLinks({
  db,
  sealing,
}: {
  readonly db: Kysely<Database>;
  readonly sealing: Pick<Sealing, 'seal' | 'open'>;
}) {
  const { open, tokensOf, columnsOf } = makeSealedLink(sealing);

  const save = async (on: Kysely<Database>, id: string, refreshed: { tokens: LinkTokens; now: Date }) => {
    await on
      .updateTable('plancast.links')
      .set({ ...(await columnsOf(id, refreshed.tokens)), refreshed_at: refreshed.now })
      .where('id', '=', id)
      .execute();
  };

  const hold = (trx: Transaction<Database>, row: LinkRow, tokens: LinkTokens): HeldLink => ({
    link: linkOf(row),
    tokens,
    save: (gained, now) => save(trx, row.id, { tokens: gained, now }),
    markRelink: async () => {
      await trx.updateTable('plancast.links').set(relinkNeeded).where('id', '=', row.id).execute();
    },
  });

  return {
    /** The person's link, or null. */
    async of(person: SlackPerson): Promise<Link | null> {
      const row = await rowOf(db, person).executeTakeFirst();
      return row ? linkOf(row) : null;
    },

    /** A link with its current tokens, without a lock; null if it is gone. */
    async withTokens(id: string): Promise<{ readonly link: Link; readonly tokens: LinkTokens } | null> {
      const row = await rowById(db, id).executeTakeFirst();
      return row ? { link: linkOf(row), tokens: await tokensOf(row) } : null;
    },

    /**
     * Makes the person's link, or puts this account and its tokens into an existing one where `replaces` says so of the account that
     * is there.
     * @returns the new link and the previous one, if any; or the link that is in the way
     */
    write: (input: {
      readonly person: SlackPerson;
      readonly grant: Grant;
      readonly now: Date;
      readonly replaces: (account: string | null) => boolean;
    }): Promise<LinkWritten> =>
      db.transaction().execute(async (trx) => {
        const { person, grant, now } = input;
        const isNew = await addEmpty(trx, person, now);
        const before = await rowOf(trx, person).forUpdate().executeTakeFirstOrThrow();
        if (!isNew && !input.replaces(before.account)) {
          return { written: false, other: linkOf(before) };
        }
        const row = await trx
          .updateTable('plancast.links')
          .set({
            ...(await columnsOf(before.id, grant)),
            enterprise_id: person.enterpriseId,
            team_id: person.teamId,
            account: grant.account,
            scope: grant.scope,
            state: 'active',
            relink_asked_at: null,
            frozen_at: null,
            linked_at: now,
            refreshed_at: now,
          })
          .where('id', '=', before.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { written: true, link: linkOf(row), before: isNew ? null : linkOf(before) };
      }),

    /**
     * Does `work` while this link's row is locked against all other processes. The lock goes with the transaction, so also with the
     * connection of a process that dies. What `work` throws is thrown on, and nothing is changed then.
     * @returns the result of `work`; `gone` if there is no such link, `busy` if others held it all the time
     */
    async inLock<T>(id: string, work: (held: HeldLink) => Promise<T>): Promise<T | 'gone' | 'busy'> {
      let locked = false;
      try {
        return await db.transaction().execute(async (trx) => {
          await waitLongerForLocks(trx);
          const row = await rowById(trx, id).forUpdate().executeTakeFirst();
          locked = true;
          return row === undefined ? 'gone' : await work(hold(trx, row, await tokensOf(row)));
        });
      } catch (error) {
        if (!locked && isWaitInVain(error)) return 'busy';
        throw error;
      }
    },

    /**
     * Stores the tokens that `spent` was exchanged for, but only if the link still holds `spent`: a later change wins.
     * @returns whether it was stored.
     */
    replaceSpent: (
      id: string,
      spent: string,
      refreshed: { tokens: LinkTokens; now: Date },
    ): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const row = await rowById(trx, id).forUpdate().executeTakeFirst();
        if (row === undefined || (await open(row, 'sealed_refresh_token')) !== spent) return false;
        await save(trx, id, refreshed);
        return true;
      }),

    /** Claims the request to link again, so that the person is asked once; false if it is taken. */
    async claimRelinkAsk(id: string, now: Date): Promise<boolean> {
      const row = await db
        .updateTable('plancast.links')
        .set({ relink_asked_at: now })
        .where('id', '=', id)
        .where('state', '=', 'relink')
        .where('relink_asked_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Releases the claim, so that the person is asked again. */
    async unclaimRelinkAsk(id: string): Promise<void> {
      await db
        .updateTable('plancast.links')
        .set({ relink_asked_at: null })
        .where('id', '=', id)
        .where('state', '=', 'relink')
        .execute();
    },

    /** Ids of active links whose tokens are older than `before`, the oldest first. */
    async quietSince(before: Date, most: number): Promise<readonly string[]> {
      const found = await db
        .selectFrom('plancast.links')
        .select('id')
        .where('state', '=', 'active')
        .where('refreshed_at', '<=', before)
        .orderBy('refreshed_at')
        .limit(most)
        .execute();
      return found.map(({ id }) => id);
    },

    /** A link by its id. */
    async byId(id: string): Promise<Link | null> {
      const row = await rowById(db, id).executeTakeFirst();
      return row ? linkOf(row) : null;
    },

    /** A page of all links, in the order of their ids; null begins. */
    async after(id: string | null, most: number): Promise<Link[]> {
      const rows = await db
        .selectFrom('plancast.links')
        .selectAll()
        .$if(id !== null, (query) => query.where('id', '>', id ?? ''))
        .orderBy('id')
        .limit(most)
        .execute();
      return rows.map(linkOf);
    },

    /** Has a link's tokens rest, because its person left; thawed, or linked again, they are used as before. */
    async freeze(id: string, now: Date): Promise<void> {
      await db
        .updateTable('plancast.links')
        .set({ state: 'frozen', frozen_at: now })
        .where('id', '=', id)
        .where('state', '<>', 'frozen')
        .execute();
    },

    /** Unfreezes the link; false if it was not frozen. */
    async thaw(id: string): Promise<boolean> {
      const row = await db
        .updateTable('plancast.links')
        .set({ state: 'active', frozen_at: null })
        .where('id', '=', id)
        .where('state', '=', 'frozen')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Removes links that are frozen since before `before`, with their tokens. */
    async removeFrozen(before: Date): Promise<void> {
      await db
        .deleteFrom('plancast.links')
        .where('state', '=', 'frozen')
        .where('frozen_at', '<', before)
        .execute();
    },

    /** Does `work` unless it is being done for this link already, in this process or another. */
    whileAlone: <T>(id: string, work: () => Promise<T>): Promise<T | 'busy'> =>
      whileAlone(db, `check link ${id}`, work),

    /** All links that were made in a workspace. */
    async ofWorkspace({ teamId }: Workspace): Promise<Link[]> {
      const rows = await db.selectFrom('plancast.links').selectAll().where('team_id', '=', teamId).execute();
      return rows.map(linkOf);
    },

    /** Makes a link one of another workspace of the same organization. */
    async moveTo(id: string, { teamId }: Workspace): Promise<void> {
      await db.updateTable('plancast.links').set({ team_id: teamId }).where('id', '=', id).execute();
    },

    /** Removes a link with its tokens; false if there was none. */
    async remove(id: string): Promise<boolean> {
      const row = await db
        .deleteFrom('plancast.links')
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export type Links = ReturnType<typeof makeLinks>;

/** The result of writing a link. */
export type LinkWritten =
  | { readonly written: true; readonly link: Link; readonly before: Link | null }
  | { readonly written: false; readonly other: Link };

const relinkNeeded = {
  state: 'relink',
  relink_asked_at: null,
  sealed_access_token: null,
  access_expires_at: null,
  sealed_refresh_token: null,
  refresh_expires_at: null,
} as const;

function rowOf(db: Kysely<Database>, person: SlackPerson) {
  return db
    .selectFrom('plancast.links')
    .selectAll()
    .where('grid_id', '=', gridId(person))
    .where('user_id', '=', person.userId);
}

function rowById(db: Kysely<Database>, id: string) {
  return db.selectFrom('plancast.links').selectAll().where('id', '=', id);
}

/** Creates the person's row to lock, in the transaction that then fills it. True if there was none. */
async function addEmpty(trx: Transaction<Database>, person: SlackPerson, now: Date): Promise<boolean> {
  const row = await trx
    .insertInto('plancast.links')
    .values({
      enterprise_id: person.enterpriseId,
      team_id: person.teamId,
      grid_id: gridId(person),
      user_id: person.userId,
      state: 'active',
      linked_at: now,
      refreshed_at: now,
    })
    .onConflict((conflict) => conflict.columns(['grid_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
