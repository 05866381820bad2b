import type { Channel, SlackPerson } from '../../core/model/people.ts';
import { signalLanes } from '../lane-signals.ts';
import { cell, type Db, exists, inChannel, run, wrote } from '../sql.ts';
import * as announcements from './announcements.ts';

// The table `direct_messages`: each person's conversation with the bot, once Slack has named it.

/** Returns the D… id of a person's conversation with the bot; null if it is not known yet. */
export const of = (db: Db, { teamId, userId }: SlackPerson): Promise<string | null> =>
  cell(db)`select channel_id from plancast.direct_messages where team_id = ${teamId} and user_id = ${userId}`;

/** Stores the conversation that Slack named in its answer to a post. */
export const keep = (db: Db, person: SlackPerson, channelId: string): Promise<void> =>
  run(db)`
    insert into plancast.direct_messages as d (enterprise_id, team_id, user_id, channel_id)
    values (${person.enterpriseId}, ${person.teamId}, ${person.userId}, ${channelId})
    on conflict (team_id, user_id) do update set channel_id = excluded.channel_id, enterprise_id = excluded.enterprise_id
    where (d.channel_id, d.enterprise_id) is distinct from (excluded.channel_id, excluded.enterprise_id)`;

/** Whether a conversation is one of the bot's own. */
export const isOwn = (db: Db, channel: Pick<Channel, 'teamId' | 'channelId'>): Promise<boolean> =>
  exists(db)`select from plancast.direct_messages where ${inChannel(channel)}`;

/**
 * Marks the turn of a lane that bears a person's id: its announcement was posted, and Slack named the conversation. From now on the lane bears
 * the conversation's id, and what waits moves there.
 * @returns false if another process has claimed the lane
 */
export const markFirstPost = (
  db: Db,
  lane: Channel,
  { fence, at, announcementId, directId }: FirstPost,
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const isOurs = await wrote(trx)`
      update plancast.lanes set claimed_until = null, claimed_by = null, not_before = null, failures = 0, last_post_at = ${at}
      where ${inChannel(lane)} and fence = ${fence}`;
    if (!isOurs) return false;
    await run(trx)`delete from plancast.announcements where id = ${announcementId}`;
    await announcements.move(trx, lane, directId);
    await keep(trx, { ...lane, userId: lane.channelId }, directId);
    await run(trx)`
      insert into plancast.lanes as l (enterprise_id, team_id, channel_id, fence, last_post_at)
      values (${lane.enterpriseId}, ${lane.teamId}, ${directId}, 0, ${at})
      on conflict (team_id, channel_id) do update set last_post_at = greatest(l.last_post_at, excluded.last_post_at)`;
    await signalLanes(trx, [{ ...lane, channelId: directId }]);
    return true;
  });

type FirstPost = {
  readonly fence: string;
  readonly at: Date;
  readonly announcementId: string | null;
  /** The D… id of the conversation. */
  readonly directId: string;
};
