import type { Kysely } from 'kysely';
import type { Channel, SlackPerson } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { Database } from '../schema.ts';

/** The table `direct_messages`: each person's conversation with the bot, once Slack has named it. */
export function makeDirectMessages({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Returns the D… id of a person's conversation with the bot; null if it is not known yet. */
    async of({ teamId, userId }: SlackPerson): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.directMessages')
        .select('channelId')
        .where('teamId', '=', teamId)
        .where('userId', '=', userId)
        .executeTakeFirst();
      return row?.channelId ?? null;
    },

    /** Stores the conversation that Slack named in its answer to a post. */
    async keep({ teamId, userId }: SlackPerson, channelId: string): Promise<void> {
      await db
        .insertInto('plancast.directMessages')
        .values({ teamId, userId, channelId })
        .onConflict((conflict) =>
          conflict
            .columns(['teamId', 'userId'])
            .doUpdateSet({ channelId })
            .where('plancast.directMessages.channelId', '<>', channelId),
        )
        .execute();
    },

    /** Whether a conversation is one of the bot's own. */
    async isOwn(channel: Pick<Channel, 'teamId' | 'channelId'>): Promise<boolean> {
      const row = await db
        .selectFrom('plancast.directMessages')
        .select('userId')
        .where(inChannel(channel))
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export type DirectMessages = ReturnType<typeof makeDirectMessages>;

type ShimDirectMessages = ReturnType<typeof makeDirectMessages>;
/** For core, which is handed the database. */
export const of = (db: Kysely<Database>, ...rest: Parameters<ShimDirectMessages['of']>) =>
  makeDirectMessages({ db }).of(...rest);
/** For core, which is handed the database. */
export const keep = (db: Kysely<Database>, ...rest: Parameters<ShimDirectMessages['keep']>) =>
  makeDirectMessages({ db }).keep(...rest);
/** For core, which is handed the database. */
export const isOwn = (db: Kysely<Database>, ...rest: Parameters<ShimDirectMessages['isOwn']>) =>
  makeDirectMessages({ db }).isOwn(...rest);
