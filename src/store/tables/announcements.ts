import type { Kysely } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

export type WaitingAnnouncement<Message> = {
  readonly id: string;
  readonly message: Message;
  readonly createdAt: Date;
};

/** The table `announcements`: what the bot itself has to say in a channel, posted through the channel's lane like events are. */
export function makeAnnouncements<Message extends object>({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Adds one; with a `subject`, in the place of one about it that still waits. The caller queues the lane. */
    async add(lane: Channel, message: Message, now: Date, subject: string | null = null): Promise<void> {
      const content = { message: JSON.stringify(message), created_at: now };
      await db
        .insertInto('plancast.announcements')
        .values({
          enterprise_id: lane.enterpriseId,
          team_id: lane.teamId,
          channel_id: lane.channelId,
          subject,
          ...content,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['team_id', 'channel_id', 'subject'])
            .where('subject', 'is not', null)
            .doUpdateSet(content),
        )
        .execute();
    },

    /** Takes back what still waits in a lane: the one about a subject, or all. */
    async withdraw(lane: Channel, subject?: string): Promise<void> {
      await db
        .deleteFrom('plancast.announcements')
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? null))
        .execute();
    },

    /** The oldest one that waits in a lane. */
    async next(lane: Channel): Promise<WaitingAnnouncement<Message> | null> {
      const row = await db
        .selectFrom('plancast.announcements')
        .select(['id', 'message', 'created_at'])
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .orderBy('seq')
        .executeTakeFirst();
      // Written by `add` from a rendered message.
      return row ? { id: row.id, message: row.message as Message, createdAt: row.created_at } : null;
    },

    /** Takes one away that was posted, or never can be. */
    async remove(id: string): Promise<void> {
      await db.deleteFrom('plancast.announcements').where('id', '=', id).execute();
    },

    /** Lanes in which one waits. */
    async lanesWaiting(limit: number): Promise<Channel[]> {
      const rows = await db
        .selectFrom('plancast.announcements')
        .select(['team_id', 'channel_id', 'enterprise_id'])
        .distinctOn(['team_id', 'channel_id'])
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        enterpriseId: row.enterprise_id,
        teamId: row.team_id,
        channelId: row.channel_id,
      }));
    },
  };
}

export type Announcements<Message extends object> = ReturnType<typeof makeAnnouncements<Message>>;
