import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel, SlackPerson, Workspace } from '../../core/model/people.ts';
import type { Request } from '../../core/model/request.ts';
import type { Database, RequestsTable } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';

/**
 * A command that a person may run only if an admin allows it. `request` is as it was stored: parse it with the schema of requests before
 * using it.
 */
export type AdminRequest = Channel &
  Pick<Selectable<RequestsTable>, 'id' | 'request' | 'state' | 'answeredBy'> & { readonly userId: string };

const requestColumns = [
  'id',
  'enterpriseId',
  'teamId',
  'channelId',
  'createdBy as userId',
  'request',
  'state',
  'answeredBy',
] as const;

/** The table `requests`: what people asked the admins of their workspace to allow. */
export function makeRequests({ db }: { readonly db: Kysely<Database> }) {
  const ofPerson = ({ teamId, userId }: SlackPerson) =>
    db.selectFrom('plancast.requests').where('teamId', '=', teamId).where('createdBy', '=', userId);

  /** Moves a request from one state to the next; returns false if it is in another. */
  async function step(
    id: string,
    { from, to }: Record<'from' | 'to', 'offered' | 'asked'>,
  ): Promise<boolean> {
    return db
      .updateTable('plancast.requests')
      .set({ state: to })
      .where('id', '=', id)
      .where('state', '=', from)
      .$call(wroteRow);
  }

  return {
    /** Stores a request that the person may send to the admins. Returns its id. */
    async offer(input: {
      readonly person: SlackPerson;
      readonly channelId: string;
      readonly request: Request;
      readonly now: Date;
    }): Promise<string> {
      const { person, channelId, request, now } = input;
      const row = await db
        .insertInto('plancast.requests')
        .values({
          enterpriseId: person.enterpriseId,
          teamId: person.teamId,
          channelId: channelId,
          createdBy: person.userId,
          request: JSON.stringify(request),
          state: 'offered',
          createdAt: now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    /** Returns the person's own offered request; null if it is not theirs, or the admins were already asked. */
    async offered(person: SlackPerson, id: string): Promise<AdminRequest | null> {
      const row = await ofPerson(person)
        .select(requestColumns)
        .where('id', '=', id)
        .where('state', '=', 'offered')
        .executeTakeFirst();
      return row ?? null;
    },

    /** Counts a person's unanswered requests since `since`, and says whether this one, in this channel, is among them. */
    async waiting(
      { person, channelId, request }: { person: SlackPerson; channelId: string; request: unknown },
      since: Date,
    ): Promise<{ readonly count: number; readonly same: boolean }> {
      const rows = await ofPerson(person)
        .select(
          sql<boolean>`channel_id = ${channelId} and request = ${JSON.stringify(request)}::jsonb`.as('same'),
        )
        .where('state', '=', 'asked')
        .where('createdAt', '>=', since)
        .execute();
      return { count: rows.length, same: rows.some(({ same }) => same) };
    },

    /** Claims an offered request for asking the admins; returns false if it is taken. */
    ask: (id: string): Promise<boolean> => step(id, { from: 'offered', to: 'asked' }),

    /** Sets a request back to `offered` because no admin could be asked. Returns false if it was answered. */
    takeBack: (id: string): Promise<boolean> => step(id, { from: 'asked', to: 'offered' }),

    /** Returns a request of this workspace by its id, or null. */
    async ofWorkspace({ teamId }: Workspace, id: string): Promise<AdminRequest | null> {
      const row = await db
        .selectFrom('plancast.requests')
        .select(requestColumns)
        .where('id', '=', id)
        .where('teamId', '=', teamId)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Answers a request of this workspace made since `since`, once. Returns null if it is too old, or was already answered. */
    async answer(
      { teamId, userId }: SlackPerson,
      answered: {
        readonly id: string;
        readonly as: 'allowed' | 'declined';
        readonly since: Date;
        readonly now: Date;
      },
    ): Promise<AdminRequest | null> {
      const row = await db
        .updateTable('plancast.requests')
        .set({ state: answered.as, answeredBy: userId, answeredAt: answered.now })
        .where('id', '=', answered.id)
        .where('teamId', '=', teamId)
        .where('state', '=', 'asked')
        .where('createdAt', '>=', answered.since)
        .returning(requestColumns)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Whether an admin has allowed this person exactly this request, in this channel, since `since`. */
    async isAllowed(
      { person, channelId, request }: { person: SlackPerson; channelId: string; request: Request },
      since: Date,
    ): Promise<boolean> {
      const row = await ofPerson(person)
        .select('id')
        .where('channelId', '=', channelId)
        .where('state', '=', 'allowed')
        .where('answeredAt', '>=', since)
        .where(sql<boolean>`request = ${JSON.stringify(request)}::jsonb`)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Deletes requests made before `before`. */
    async removeOld(before: Date): Promise<void> {
      await db.deleteFrom('plancast.requests').where('createdAt', '<', before).execute();
    },
  };
}

export type Requests = ReturnType<typeof makeRequests>;

type ShimRequests = ReturnType<typeof makeRequests>;
/** For core, which is handed the database. */
export const offer = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['offer']>) =>
  makeRequests({ db }).offer(...rest);
/** For core, which is handed the database. */
export const offered = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['offered']>) =>
  makeRequests({ db }).offered(...rest);
/** For core, which is handed the database. */
export const waiting = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['waiting']>) =>
  makeRequests({ db }).waiting(...rest);
/** For core, which is handed the database. */
export const ask = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['ask']>) =>
  makeRequests({ db }).ask(...rest);
/** For core, which is handed the database. */
export const takeBack = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['takeBack']>) =>
  makeRequests({ db }).takeBack(...rest);
/** For core, which is handed the database. */
export const ofWorkspace = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['ofWorkspace']>) =>
  makeRequests({ db }).ofWorkspace(...rest);
/** For core, which is handed the database. */
export const answer = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['answer']>) =>
  makeRequests({ db }).answer(...rest);
/** For core, which is handed the database. */
export const isAllowed = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['isAllowed']>) =>
  makeRequests({ db }).isAllowed(...rest);
/** For core, which is handed the database. */
export const removeOld = (db: Kysely<Database>, ...rest: Parameters<ShimRequests['removeOld']>) =>
  makeRequests({ db }).removeOld(...rest);
