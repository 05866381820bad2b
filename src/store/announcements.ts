import type { Kysely } from 'kysely';
import type { Channel } from '../core/people.ts';
import { addLane } from './lanes.ts';
import type { Database } from './schema.ts';

export type WaitingAnnouncement<Message> = {
  readonly id: string;
  readonly message: Message;
  readonly createdAt: Date;
};

/** The table `announcements`: what the bot itself has to say in a channel, posted through the channel's lane like events are. */
export function makeAnnouncements<Message extends object>({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Adds one. The caller wakes the lane. */
    async add(lane: Channel, message: Message, now: Date): Promise<void> {
      await addLane(db, lane);
      await db
        .insertInto('plancast.announcements')
        .values({
          enterprise_id: lane.enterpriseId,
          team_id: lane.teamId,
          channel_id: lane.channelId,
          message: JSON.stringify(message),
          created_at: now,
        })
        .execute();
    },
  };
}

export type Announcements<Message extends object> = ReturnType<typeof makeAnnouncements<Message>>;
