import type { Channel, Workspace } from '../../core/model/people.ts';
import {
  all,
  cell,
  column,
  type Db,
  exists,
  first,
  inChannel,
  inOrganization,
  run,
  sql,
  wrote,
} from '../sql.ts';

// The table `channels`: the state of channels apart from their subscriptions. Each `…_ts` is the `event_ts` of the last event.

/** The state of a channel, as Slack's events reported it. */
type ChannelState = {
  /** The bot was removed from it. */
  readonly isOut: boolean;
  readonly isArchived: boolean;
  /** Shared with another organization. */
  readonly isShared: boolean;
  /** A member chose to show everything although it is shared. */
  readonly showsAll: boolean;
};

/** What an event can report about a channel. */
type ChannelFact = 'out' | 'archived' | 'shared';

const unknownChannel: ChannelState = { isOut: false, isArchived: false, isShared: false, showsAll: false };

const ids = ({ enterpriseId, teamId, channelId }: Channel) =>
  sql`${enterpriseId}::text, ${teamId}::text, ${channelId}::text`;

/** Returns the state of a channel; an unknown one is open. */
export async function of(db: Db, channel: Channel): Promise<ChannelState> {
  const row = await first(db)<ChannelState>`
    select is_out, is_archived, is_shared, shows_all from plancast.channels where ${inChannel(channel)}`;
  return row ?? unknownChannel;
}

/** Lists those of some channels of an organization that are subscribed, each with the workspace of its oldest live subscription. */
export const homesAmong = (db: Db, { enterpriseId }: Workspace, ids: readonly string[]): Promise<Channel[]> =>
  all(db)`
    select distinct on (channel_id) enterprise_id, team_id, channel_id from plancast.subscriptions
    where enterprise_id = ${enterpriseId} and channel_id = any(${ids}::text[]) and state <> 'ended'
    order by channel_id, created_at`;

/** Whether the bot was removed from a channel, whichever workspace of the organization it is stored under. */
export const wasRemoved = (db: Db, channel: Channel): Promise<boolean> =>
  exists(db)`
    select from plancast.channels where ${inOrganization(channel)} and channel_id = ${channel.channelId} and is_out`;

/** Returns which of some channels of a workspace are shared with another organization. */
export async function sharedAmong(
  db: Db,
  { teamId }: Workspace,
  channelIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const shared = await column(db)<string>`
    select channel_id from plancast.channels
    where team_id = ${teamId} and channel_id = any(${channelIds}::text[]) and is_shared`;
  return new Set(shared);
}

/** Stores what an event reported; `at`: its `event_ts`. Returns false if one at least as new was stored: this is late or repeated. */
export function note(
  db: Db,
  channel: Channel,
  { fact, holds, at }: { fact: ChannelFact; holds: boolean; at: string },
): Promise<boolean> {
  const [flag, ts] = [sql.ref(`is_${fact}`), sql.ref(`${fact}_ts`)];
  return wrote(db)`
    insert into plancast.channels as c (enterprise_id, team_id, channel_id, ${flag}, ${ts})
    values (${ids(channel)}, ${holds}, ${at}::numeric)
    on conflict (team_id, channel_id) do update set ${flag} = excluded.${flag}, ${ts} = excluded.${ts}
      ${fact === 'shared' && !holds ? sql`, shared_told = false, shows_all = false` : sql``}
      where c.${ts} is null or c.${ts} < excluded.${ts}`;
}

/** Stores that Slack, when asked, confirmed that the bot can post there, whatever earlier events reported. */
export const noteOpen = (db: Db, channel: Channel): Promise<void> =>
  run(db)`
    update plancast.channels set is_out = false, is_archived = false where ${inChannel(channel)}`;

/** Records that Slack is asked whether a channel is shared. */
export const noteSharedCheck = (db: Db, channel: Channel, now: Date): Promise<void> =>
  run(db)`
    insert into plancast.channels (enterprise_id, team_id, channel_id, looked_at) values (${ids(channel)}, ${now})
    on conflict (team_id, channel_id) do update set looked_at = excluded.looked_at`;

/** Stores what Slack answered after `noteSharedCheck`, unless an event reported something since. Returns whether it is shared. */
export async function noteSharedAnswer(
  db: Db,
  channel: Channel,
  answer: { readonly isShared: boolean; readonly isPublic: boolean; readonly askedAt: Date },
): Promise<boolean> {
  const isShared = sql`case when shared_ts > extract(epoch from ${answer.askedAt}::timestamptz) then is_shared else ${answer.isShared} end`;
  const stored = await cell(db)<boolean>`
    update plancast.channels set is_shared = ${isShared}, is_public = ${answer.isPublic},
      shared_told = shared_told and ${isShared}, shows_all = shows_all and ${isShared}
    where ${inChannel(channel)} returning is_shared`;
  return stored ?? answer.isShared;
}

/** Stores that Slack does not show the channel to the bot: if it was public, it is not any more. */
export const notePrivate = (db: Db, channel: Channel): Promise<void> =>
  run(db)`update plancast.channels set is_public = false where ${inChannel(channel)}`;

/** Claims the one announcement of a shared channel; returns false if it is taken, or the channel is not shared. */
export const takeNotice = (db: Db, channel: Channel): Promise<boolean> =>
  wrote(db)`
    update plancast.channels set shared_told = true
    where ${inChannel(channel)} and is_shared and not shared_told`;

/** Sets whether a shared channel shows everything; returns false if nothing changes, or the channel is not shared. */
export const setShowsAll = (db: Db, channel: Channel, showsAll: boolean): Promise<boolean> =>
  wrote(db)`
    update plancast.channels set shows_all = ${showsAll}
    where ${inChannel(channel)} and is_shared and shows_all <> ${showsAll}`;

/** Lists channels with live subscriptions that were not checked since `since`, at most `limit`, those not checked for longest first. */
export const notCheckedSince = (db: Db, since: Date, limit: number): Promise<Channel[]> =>
  all(db)`
    select s.enterprise_id, s.team_id, s.channel_id
    from plancast.subscriptions s
    left join plancast.channels c on c.team_id = s.team_id and c.channel_id = s.channel_id
    where s.state <> 'ended' and s.channel_id not like 'D%' and (c.looked_at is null or c.looked_at < ${since})
    group by s.enterprise_id, s.team_id, s.channel_id, c.looked_at
    order by c.looked_at nulls first
    limit ${limit}`;
