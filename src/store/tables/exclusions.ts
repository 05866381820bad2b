import { type Kysely, type Selectable, sql } from 'kysely';
import type { Change } from '../../core/model/change.ts';
import type { Exclusion, ExclusionSubject } from '../../core/model/exclusion.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import { inChannel, inOrganization } from '../in-channel.ts';
import type { Database, ExclusionsTable } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';

/** The table `exclusions`: items that are muted in a channel, and people whose changes are hidden there. */
export function makeExclusions({ db }: { readonly db: Kysely<Database> }) {
  const rows = () => db.selectFrom('plancast.exclusions').selectAll();

  return {
    /**
     * Excludes something in a channel.
     * @returns null if it is already excluded there
     */
    async add(
      channel: Channel,
      subject: ExclusionSubject,
      { byUserId, now }: { readonly byUserId: string; readonly now: Date },
    ): Promise<Exclusion | null> {
      const item = subject.kind === 'item' ? subject : null;
      const changed = {
        itemKind: item?.itemKind ?? null,
        name: item?.name ?? null,
        folder: item?.folder ? [...item.folder] : null,
        byUserId,
        isActive: true,
        changedAt: now,
      };
      const row = await db
        .insertInto('plancast.exclusions')
        .values({
          enterpriseId: channel.enterpriseId,
          teamId: channel.teamId,
          channelId: channel.channelId,
          kind: subject.kind,
          key: subject.key,
          ...changed,
        })
        .onConflict((conflict) =>
          conflict
            .constraint('exclusions_key')
            .doUpdateSet(changed)
            .where('plancast.exclusions.isActive', '=', false),
        )
        .returningAll()
        .executeTakeFirst();
      return row ? exclusionOf(row) : null;
    },

    /** Ends or renews an exclusion. Returns whether that changed anything. */
    async setActive(
      id: string,
      isActive: boolean,
      { byUserId, now }: { readonly byUserId: string; readonly now: Date },
    ): Promise<boolean> {
      return db
        .updateTable('plancast.exclusions')
        .set({ isActive, changedAt: now, ...(isActive ? { byUserId } : {}) })
        .where('id', '=', id)
        .where('isActive', '=', !isActive)
        .$call(wroteRow);
    },

    /** Returns an exclusion of this workspace or of another one of its organization by its id, even if it has ended. */
    async ofOrganization(workspace: Workspace, id: string): Promise<Exclusion | null> {
      const row = await rows().where('id', '=', id).where(inOrganization(workspace)).executeTakeFirst();
      return row ? exclusionOf(row) : null;
    },

    /** Lists what is excluded in some channels of a workspace, newest first; items with their current name. */
    async ofChannels({ teamId }: Workspace, channelIds: readonly string[]): Promise<Exclusion[]> {
      if (channelIds.length === 0) return [];
      const found = await db
        .selectFrom('plancast.exclusions as x')
        .leftJoin('plancast.items as i', (join) =>
          join
            .onRef('i.teamId', '=', 'x.teamId')
            .onRef('i.channelId', '=', 'x.channelId')
            .onRef('i.itemKey', '=', 'x.key')
            .on('x.kind', '=', 'item'),
        )
        .selectAll('x')
        .select(sql<string | null>`coalesce(i.name, x.name)`.as('name'))
        .where('x.teamId', '=', teamId)
        .where(sql<boolean>`x.channel_id = any(${[...channelIds]}::text[])`)
        .where('x.isActive', '=', true)
        .orderBy('x.changedAt', 'desc')
        .execute();
      return found.map(exclusionOf);
    },

    /** Counts what is excluded in a channel. */
    async countIn(channel: Channel): Promise<number> {
      const row = await db
        .selectFrom('plancast.exclusions')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where(inChannel(channel))
        .where('isActive', '=', true)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Removes exclusions that ended before `before`: nobody can undo that any more. */
    async removeEnded(before: Date): Promise<void> {
      await db
        .deleteFrom('plancast.exclusions')
        .where('isActive', '=', false)
        .where('changedAt', '<', before)
        .execute();
    },
  };
}

export type Exclusions = ReturnType<typeof makeExclusions>;

function exclusionOf({ kind, key, itemKind, name, folder, ...row }: Selectable<ExclusionsTable>): Exclusion {
  // `add` has written this value.
  const item = { itemKind: (itemKind ?? 'item') as Change['kind'], name, folder };
  return { ...row, subject: kind === 'person' ? { kind, key } : { kind, key, ...item } };
}

type ShimExclusions = ReturnType<typeof makeExclusions>;
/** For core, which is handed the database. */
export const add = (db: Kysely<Database>, ...rest: Parameters<ShimExclusions['add']>) =>
  makeExclusions({ db }).add(...rest);
/** For core, which is handed the database. */
export const setActive = (db: Kysely<Database>, ...rest: Parameters<ShimExclusions['setActive']>) =>
  makeExclusions({ db }).setActive(...rest);
/** For core, which is handed the database. */
export const ofOrganization = (db: Kysely<Database>, ...rest: Parameters<ShimExclusions['ofOrganization']>) =>
  makeExclusions({ db }).ofOrganization(...rest);
/** For core, which is handed the database. */
export const ofChannels = (db: Kysely<Database>, ...rest: Parameters<ShimExclusions['ofChannels']>) =>
  makeExclusions({ db }).ofChannels(...rest);
/** For core, which is handed the database. */
export const countIn = (db: Kysely<Database>, ...rest: Parameters<ShimExclusions['countIn']>) =>
  makeExclusions({ db }).countIn(...rest);
/** For core, which is handed the database. */
export const removeEnded = (db: Kysely<Database>, ...rest: Parameters<ShimExclusions['removeEnded']>) =>
  makeExclusions({ db }).removeEnded(...rest);
