import type { Kysely } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database } from '../schema.ts';
import { addLane } from './lanes.ts';

export type WaitingAnnouncement<Message> = {
  readonly id: string;
  readonly message: Message;
  readonly createdAt: Date;
  /** What it is about, where only the newest about it is to be posted. */
  readonly subject: string | null;
};

/** The table `announcements`: what the bot itself has to say in a channel, posted through the channel's lane like events are. */
export function makeAnnouncements<Message extends object>({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Adds one; with a `subject`, in the place of one about it that still waits. The caller wakes the lane. */
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
            .doUpdateSet(content),
        )
        .execute();
    },

    /** Takes back what still waits in a lane: the one about a subject, or all. */
    async withdraw(lane: Channel, subject?: string): Promise<void> {
      await db
        .deleteFrom('plancast.announcements')
        .where(inChannel(lane))
        .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? null))
        .execute();
    },
  };
}

export type Announcements<Message extends object> = ReturnType<typeof makeAnnouncements<Message>>;
