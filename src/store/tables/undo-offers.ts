import type { Kysely } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database } from '../schema.ts';

/** A message with an Undo button. `message` is the version without it. */
export type UndoOffer<Message> = Channel & { readonly messageTs: string; readonly message: Message };

/** The table `undo_offers`: posted messages whose Undo button has yet to be removed. */
export function makeUndoOffers<Message extends object>({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Records that a posted message has an Undo button, which works until `until`. */
    async add(offer: UndoOffer<Message>, until: Date): Promise<void> {
      await db
        .insertInto('plancast.undoOffers')
        .values({
          enterpriseId: offer.enterpriseId,
          teamId: offer.teamId,
          channelId: offer.channelId,
          messageTs: offer.messageTs,
          message: JSON.stringify(offer.message),
          until,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** Returns the offer of a message; null if it has none. */
    async ofMessage(channel: Channel, messageTs: string): Promise<UndoOffer<Message> | null> {
      const row = await db
        .selectFrom('plancast.undoOffers')
        .selectAll()
        .where(inChannel(channel))
        .where('messageTs', '=', messageTs)
        .executeTakeFirst();
      return row ? { ...channel, messageTs, message: row.message as Message } : null;
    },

    /** Lists expired offers, oldest first, at most `limit`. */
    async over(now: Date, limit: number): Promise<UndoOffer<Message>[]> {
      const rows = await db
        .selectFrom('plancast.undoOffers')
        .selectAll()
        .where('until', '<=', now)
        .orderBy('until')
        .limit(limit)
        .execute();
      return rows.map(({ until, ...offer }) => ({ ...offer, message: offer.message as Message }));
    },

    /** Deletes an offer: the button is gone, or there is no message to remove it from. */
    async remove(offer: Omit<UndoOffer<Message>, 'message'>): Promise<void> {
      await db
        .deleteFrom('plancast.undoOffers')
        .where(inChannel(offer))
        .where('messageTs', '=', offer.messageTs)
        .execute();
    },
  };
}

export type UndoOffers<Message extends object> = ReturnType<typeof makeUndoOffers<Message>>;

type ShimUndoOffers = ReturnType<typeof makeUndoOffers<object>>;
/** For core, which is handed the database. */
export const add = (db: Kysely<Database>, ...rest: Parameters<ShimUndoOffers['add']>) =>
  makeUndoOffers({ db }).add(...rest);
/** For core, which is handed the database. */
export const ofMessage = (db: Kysely<Database>, ...rest: Parameters<ShimUndoOffers['ofMessage']>) =>
  makeUndoOffers({ db }).ofMessage(...rest);
/** For core, which is handed the database. */
export const over = (db: Kysely<Database>, ...rest: Parameters<ShimUndoOffers['over']>) =>
  makeUndoOffers({ db }).over(...rest);
/** For core, which is handed the database. */
export const remove = (db: Kysely<Database>, ...rest: Parameters<ShimUndoOffers['remove']>) =>
  makeUndoOffers({ db }).remove(...rest);
