import type { Channel, SlackPerson } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import { type Db, first, sql } from '../sql.ts';

// The table `direct_messages`: each person's conversation with the bot, once Slack has named it.

/** Returns the D… id of a person's conversation with the bot; null if it is not known yet. */
export async function of(db: Db, { teamId, userId }: SlackPerson): Promise<string | null> {
  const row = await first(db)<{
    channelId: string;
  }>`select channel_id from plancast.direct_messages where team_id = ${teamId} and user_id = ${userId}`;
  return row?.channelId ?? null;
}

/** Stores the conversation that Slack named in its answer to a post. */
export async function keep(db: Db, { teamId, userId }: SlackPerson, channelId: string): Promise<void> {
  await sql`
    insert into plancast.direct_messages as d (team_id, user_id, channel_id) values (${teamId}, ${userId}, ${channelId})
    on conflict (team_id, user_id) do update set channel_id = excluded.channel_id
    where d.channel_id <> excluded.channel_id`.execute(db);
}

/** Whether a conversation is one of the bot's own. */
export const isOwn = async (db: Db, channel: Pick<Channel, 'teamId' | 'channelId'>): Promise<boolean> =>
  (await first(db)`select from plancast.direct_messages where ${inChannel(channel)}`) !== null;
