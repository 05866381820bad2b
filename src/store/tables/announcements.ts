import type { Channel } from '../../core/model/people.ts';
import { column, type Db, inChannel, json, run, sql } from '../sql.ts';
import { addLane } from './lanes.ts';

/*
 * The table `announcements`: the bot's own messages to a channel, posted through the channel's lane like events. `made_at`: when its
 * transaction began, as in the audit log.
 */

export type WaitingAnnouncement<Message> = {
  readonly id: string;
  readonly message: Message;
  readonly createdAt: Date;
  /** What it is about, if only the newest announcement on that subject is to be posted. */
  readonly subject: string | null;
  /** The subjects of those that wait behind it. */
  readonly laterSubjects: readonly string[];
};

/** Adds an announcement; with a `subject`, replaces a pending one on the same subject. The caller wakes the lane. */
export async function add(
  db: Db,
  lane: Channel,
  message: object,
  now: Date,
  subject: string | null = null,
): Promise<void> {
  await addLane(db, lane);
  // A turn that is posting the replaced one deletes it by its id. Others may have been added since, so it comes after them.
  await run(db)`
    insert into plancast.announcements (enterprise_id, team_id, channel_id, subject, message, created_at)
    values (${lane.enterpriseId}, ${lane.teamId}, ${lane.channelId}, ${subject}, ${json(message)}, ${now})
    on conflict (team_id, channel_id, subject) where subject is not null do update
      set message = excluded.message, created_at = excluded.created_at, id = default, seq = default, made_at = default
  `;
}

/** Removes what is still pending in a lane: the announcements on these subjects, or all. Returns their subjects. */
export const withdraw = (db: Db, lane: Channel, subjects?: readonly string[]): Promise<(string | null)[]> =>
  column(db)`
    delete from plancast.announcements where ${inChannel(lane)}
      ${subjects === undefined ? sql`` : sql`and subject = any(${subjects})`} returning subject`;

/** Moves what is pending in a lane to another one of the same workspace. */
export const move = (db: Db, lane: Channel, to: string): Promise<void> =>
  run(db)`
    update plancast.announcements a set channel_id = ${to}, subject = case when not exists (
      select from plancast.announcements o
      where o.team_id = a.team_id and o.channel_id = ${to} and o.subject = a.subject) then subject end
    where ${inChannel(lane)}`;
