import { type Kysely, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database } from '../schema.ts';
import { addLane } from './lanes.ts';

export type WaitingAnnouncement<Message> = {
  readonly id: string;
  readonly message: Message;
  readonly createdAt: Date;
  /** What it is about, if only the newest announcement on that subject is to be posted. */
  readonly subject: string | null;
  /** The subjects of those that wait behind it. */
  readonly laterSubjects: readonly string[];
};

/** The table `announcements`: the bot's own messages to a channel, posted through the channel's lane like events. */
export function makeAnnouncements<Message extends object>({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Adds an announcement; with a `subject`, replaces a pending one on the same subject. The caller wakes the lane. */
    async add(lane: Channel, message: Message, now: Date, subject: string | null = null): Promise<void> {
      await addLane(db, lane);
      const content = { message: JSON.stringify(message), createdAt: now };
      await db
        .insertInto('plancast.announcements')
        .values({
          enterpriseId: lane.enterpriseId,
          teamId: lane.teamId,
          channelId: lane.channelId,
          subject,
          ...content,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['teamId', 'channelId', 'subject'])
            .where('subject', 'is not', null)
            // A turn that is posting the replaced one deletes it by its id. Others may have been added since, so it comes after them.
            .doUpdateSet({ ...content, id: sql`default`, seq: sql`default`, madeAt: sql`default` }),
        )
        .execute();
    },

    /** Removes what is still pending in a lane: the announcements on these subjects, or all. Returns their subjects. */
    async withdraw(lane: Channel, subjects?: readonly string[]): Promise<(string | null)[]> {
      const rows = await db
        .deleteFrom('plancast.announcements')
        .where(inChannel(lane))
        .$if(subjects !== undefined, (query) => query.where('subject', 'in', [...(subjects ?? [])]))
        .returning('subject')
        .execute();
      return rows.map(({ subject }) => subject);
    },
  };
}

export type Announcements<Message extends object> = ReturnType<typeof makeAnnouncements<Message>>;

type ShimAnnouncements = ReturnType<typeof makeAnnouncements<object>>;
/** For core, which is handed the database. */
export const add = (db: Kysely<Database>, ...rest: Parameters<ShimAnnouncements['add']>) =>
  makeAnnouncements({ db }).add(...rest);
/** For core, which is handed the database. */
export const withdraw = (db: Kysely<Database>, ...rest: Parameters<ShimAnnouncements['withdraw']>) =>
  makeAnnouncements({ db }).withdraw(...rest);
