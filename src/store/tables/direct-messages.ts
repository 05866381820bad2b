import type { Kysely } from 'kysely';
import type { SlackPerson } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

/** The table `direct_messages`: the conversation between the bot and each person, once Slack has named it. */
export function makeDirectMessages({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** The D… id of a person's conversation with the bot; null where it is not known yet. */
    async of({ teamId, userId }: SlackPerson): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.direct_messages')
        .select('channel_id')
        .where('team_id', '=', teamId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row?.channel_id ?? null;
    },

    /** Keeps what Slack answered to a post. */
    async keep({ teamId, userId }: SlackPerson, channelId: string): Promise<void> {
      await db
        .insertInto('plancast.direct_messages')
        .values({ team_id: teamId, user_id: userId, channel_id: channelId })
        .onConflict((conflict) =>
          conflict
            .columns(['team_id', 'user_id'])
            .doUpdateSet({ channel_id: channelId })
            .where('plancast.direct_messages.channel_id', '<>', channelId),
        )
        .execute();
    },

    /** Whether a conversation is one of the bot's own. */
    async isOwn({
      teamId,
      channelId,
    }: {
      readonly teamId: string;
      readonly channelId: string;
    }): Promise<boolean> {
      const row = await db
        .selectFrom('plancast.direct_messages')
        .select('user_id')
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export type DirectMessages = ReturnType<typeof makeDirectMessages>;
