import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import { all, type Db, first, json, type OnDb, sql } from '../sql.ts';

// The table `undo_offers`: posted messages whose Undo button has yet to be removed.

/** A message with an Undo button. `message` is the version without it, as `add` stored it. */
export type UndoOffer = Channel & { readonly messageTs: string; readonly message: object };

const columns = sql`enterprise_id, team_id, channel_id, message_ts, message`;

/** Records that a posted message has an Undo button, which works until `until`. */
export async function add(db: Db, offer: UndoOffer, until: Date): Promise<void> {
  const { enterpriseId, teamId, channelId, messageTs, message } = offer;
  await sql`
    insert into plancast.undo_offers (${columns}, until)
    values (${enterpriseId}, ${teamId}, ${channelId}, ${messageTs}, ${json(message)}, ${until})
    on conflict do nothing`.execute(db);
}

/** Returns the offer of a message; null if it has none. */
export async function ofMessage(db: Db, channel: Channel, messageTs: string): Promise<UndoOffer | null> {
  const offer = await first<UndoOffer>(
    db,
    sql`select ${columns} from plancast.undo_offers where ${inChannel(channel)} and message_ts = ${messageTs}`,
  );
  return offer && { ...offer, ...channel };
}

/** Lists expired offers, oldest first, at most `limit`. */
export const over = (db: Db, now: Date, limit: number): Promise<UndoOffer[]> =>
  all(
    db,
    sql`select ${columns} from plancast.undo_offers where until <= ${now} order by until limit ${limit}`,
  );

/** Deletes an offer: the button is gone, or there is no message to remove it from. */
export async function remove(db: Db, offer: Omit<UndoOffer, 'message'>): Promise<void> {
  await sql`
    delete from plancast.undo_offers
    where ${inChannel(offer)} and message_ts = ${offer.messageTs}`.execute(db);
}

export type UndoOffers = OnDb<typeof import('./undo-offers.ts')>;
