import { type Kysely, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import { inChannel } from '../in-channel.ts';
import type { ChannelsTable, Database } from '../schema.ts';

/** The state of a channel, as Slack's events reported it. */
type ChannelState = Pick<ChannelsTable, 'isOut' | 'isArchived' | 'isShared' | 'showsAll'>;

/** What an event can report about a channel. */
type ChannelFact = 'out' | 'archived' | 'shared';

const unknownChannel: ChannelState = { isOut: false, isArchived: false, isShared: false, showsAll: false };

/** The table `channels`: the state of channels apart from their subscriptions. */
export function makeChannels({ db }: { readonly db: Kysely<Database> }) {
  const ids = ({ enterpriseId, teamId, channelId }: Channel) =>
    sql`${enterpriseId}::text, ${teamId}::text, ${channelId}::text`;

  return {
    /** Returns the state of a channel; an unknown one is open. */
    async of(channel: Channel): Promise<ChannelState> {
      const row = await db
        .selectFrom('plancast.channels')
        .select(['isOut', 'isArchived', 'isShared', 'showsAll'])
        .where(inChannel(channel))
        .executeTakeFirst();
      return row ?? unknownChannel;
    },

    /**
     * Stores what an event reported. `at`: its `event_ts`.
     * @returns false if an event at least as new was stored before, so this one is late or repeated
     */
    async note(
      channel: Channel,
      { fact, holds, at }: { fact: ChannelFact; holds: boolean; at: string },
    ): Promise<boolean> {
      const [flag, ts] = [sql.ref(`is_${fact}`), sql.ref(`${fact}_ts`)];
      const { rows } = await sql`
        insert into plancast.channels as c (enterprise_id, team_id, channel_id, ${flag}, ${ts})
        values (${ids(channel)}, ${holds}, ${at}::numeric)
        on conflict (team_id, channel_id) do update set ${flag} = excluded.${flag}, ${ts} = excluded.${ts}
          ${fact === 'shared' && !holds ? sql`, shared_told = false, shows_all = false` : sql``}
          where c.${ts} is null or c.${ts} < excluded.${ts}
        returning 1`.execute(db);
      return rows.length > 0;
    },

    /** Stores that Slack, when asked, confirmed that the bot can post there, whatever earlier events reported. */
    async noteOpen(channel: Channel): Promise<void> {
      await sql`
        update plancast.channels set is_out = false, is_archived = false where ${inChannel(channel)}
      `.execute(db);
    },

    /** Records that Slack is asked whether a channel is shared. */
    async noteLook(channel: Channel, now: Date): Promise<void> {
      await sql`
        insert into plancast.channels (enterprise_id, team_id, channel_id, looked_at) values (${ids(channel)}, ${now})
        on conflict (team_id, channel_id) do update set looked_at = excluded.looked_at`.execute(db);
    },

    /** Stores what Slack answered after `noteLook`. The answer has no place in the order of events, so the next event still counts. */
    async noteAnswer(channel: Channel, isShared: boolean): Promise<void> {
      await sql`
        update plancast.channels set is_shared = ${isShared}, shared_told = shared_told and ${isShared},
          shows_all = shows_all and ${isShared}
        where ${inChannel(channel)}`.execute(db);
    },

    /** Claims the one announcement of a shared channel; returns false if it is taken, or the channel is not shared. */
    async takeNotice(channel: Channel): Promise<boolean> {
      const { rows } = await sql`
        update plancast.channels set shared_told = true
        where ${inChannel(channel)} and is_shared and not shared_told returning 1`.execute(db);
      return rows.length > 0;
    },

    /** Sets whether a shared channel shows everything; returns false if nothing changes, or the channel is not shared. */
    async setShowsAll(channel: Channel, showsAll: boolean): Promise<boolean> {
      const { rows } = await sql`
        update plancast.channels set shows_all = ${showsAll}
        where ${inChannel(channel)} and is_shared and shows_all <> ${showsAll} returning 1`.execute(db);
      return rows.length > 0;
    },

    /** Lists channels with live subscriptions that were not checked since `since`, at most `limit`, those not checked for longest first. */
    async notLookedAt(since: Date, limit: number): Promise<Channel[]> {
      const { rows } = await sql<Channel>`
        select s.enterprise_id, s.team_id, s.channel_id
        from plancast.subscriptions s
        left join plancast.channels c on c.team_id = s.team_id and c.channel_id = s.channel_id
        where s.state <> 'ended' and s.channel_id not like 'D%' and (c.looked_at is null or c.looked_at < ${since})
        group by s.enterprise_id, s.team_id, s.channel_id, c.looked_at
        order by c.looked_at nulls first
        limit ${limit}`.execute(db);
      return rows;
    },
  };
}

export type Channels = ReturnType<typeof makeChannels>;

type ShimChannels = ReturnType<typeof makeChannels>;
/** For core, which is handed the database. */
export const of = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['of']>) =>
  makeChannels({ db }).of(...rest);
/** For core, which is handed the database. */
export const note = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['note']>) =>
  makeChannels({ db }).note(...rest);
/** For core, which is handed the database. */
export const noteOpen = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['noteOpen']>) =>
  makeChannels({ db }).noteOpen(...rest);
/** For core, which is handed the database. */
export const noteLook = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['noteLook']>) =>
  makeChannels({ db }).noteLook(...rest);
/** For core, which is handed the database. */
export const noteAnswer = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['noteAnswer']>) =>
  makeChannels({ db }).noteAnswer(...rest);
/** For core, which is handed the database. */
export const takeNotice = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['takeNotice']>) =>
  makeChannels({ db }).takeNotice(...rest);
/** For core, which is handed the database. */
export const setShowsAll = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['setShowsAll']>) =>
  makeChannels({ db }).setShowsAll(...rest);
/** For core, which is handed the database. */
export const notLookedAt = (db: Kysely<Database>, ...rest: Parameters<ShimChannels['notLookedAt']>) =>
  makeChannels({ db }).notLookedAt(...rest);
