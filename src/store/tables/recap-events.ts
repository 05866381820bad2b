import { filterReasons } from '../../core/model/filters.ts';
import type { Channel } from '../../core/model/people.ts';
import { longestNamed } from '../../core/model/typed-text.ts';
import { all, column, count, type Db, inChannel, sql } from '../sql.ts';
import {
  type EventRow,
  eventColumns,
  type PostedEvent,
  type WaitingEvent,
  withSubscription,
} from './events.ts';
import { withoutNames } from './lane-statements.ts';

// The table `events` for recaps: what a channel got since a time, while its details are stored. The index `events_recap` finds it.

/** An event that a channel got. */
export type RecapEvent = PostedEvent &
  Pick<WaitingEvent, 'replayed' | 'editAt'> & {
    readonly fingerprint: string;
    /** Whether older ones of its state are left out because they would take too much memory together. */
    readonly isLast: boolean;
  };

/** What a recap is about: the key of an item, project or session (`rememberedKeys`); null for all that the channel follows. */
export type RecapScope = { readonly since: Date; readonly key: string | null };

/** An item by one of its names. */
export type NamedItem = {
  readonly key: string;
  readonly name: string | null;
  readonly previousName: string | null;
};

const inScope = (
  channel: Channel,
  { since, key }: RecapScope,
) => sql`${inChannel(channel)} and received_at >= ${since}
  and (${key}::text is null or item_keys @> array[${key}::text])`;

const isPosted = sql`state = 'posted' and notification is not null`;
/** The conditions of the indexes that find settled and waiting events; one condition for all of them would use none. */
const waits = [sql`state = 'pending' and reason is null`, sql`state = 'pending' and reason is not null`];
const states = [isPosted, ...waits];

const newest = (state: (typeof states)[number], channel: Channel, scope: RecapScope, limit: number) =>
  sql`select * from plancast.events where ${inScope(channel, scope)} and ${state} order by received_at desc limit ${limit}`;

/** How many bytes of events of one state are read: far more than usual ones take. */
const mostBytes = 8_000_000;

const inStates = (some: typeof waits, channel: Channel, scope: RecapScope, limit: number) =>
  sql.join(
    some.map(
      (state) => sql`(select * from (
        select e.*, sum(octet_length(e.notification::text)) over (order by e.received_at desc, e.seq desc) as total
        from (${newest(state, channel, scope, limit)}) e) e
      where e.total - octet_length(e.notification::text) < ${mostBytes})`,
    ),
    sql` union all `,
  );

/** Lists the events of a channel that wait and, unless unwanted, those posted: the newest `limit` of each, in order of acceptance. */
export async function list(
  db: Db,
  channel: Channel,
  scope: RecapScope,
  { limit, posted = true }: { readonly limit: number; readonly posted?: boolean },
): Promise<RecapEvent[]> {
  const rows = await all(db)<EventRow & Pick<RecapEvent, 'fingerprint' | 'replayed' | 'editAt' | 'isLast'>>`
    select ${eventColumns}, coalesce(e.fingerprint, '') as fingerprint,
      e.replayed_at is not null as replayed, e.edit_at, e.total >= ${mostBytes} as is_last
    from (${inStates(posted ? states : waits, channel, scope, limit)}) e order by e.seq`;
  return withSubscription(db, rows);
}

/** Counts the events of a channel that its filters left out. What is outside a followed folder or file is not part of what it follows. */
export const countFiltered = (db: Db, channel: Channel, scope: RecapScope): Promise<number> =>
  count(db)`
    select count(*)::int from plancast.events
    where ${inScope(channel, scope)} and state = 'filtered' and reason = any(${[...filterReasons]}::text[])
      and not (reason = 'path' and notification @> ${withoutNames}::jsonb)`;

/**
 * Lists the names of items of which a channel's messages showed events since a time, each once, those with the newest events first. Events
 * that wait have not been judged, so their names may be of what the channel is not allowed to see.
 */
export const names = (db: Db, channel: Channel, since: Date): Promise<NamedItem[]> =>
  all(db)`
    select e.item_keys[1] as key, left(coalesce(e.notification ->> 'name', substring(e.notification ->> 'path' from '([^/]+)/*$')), ${longestNamed}) as name,
      left(e.told ->> 'previousName', ${longestNamed}) as previous_name
    from (${newest(isPosted, channel, { since, key: null }, mostNamed)}) e
    where e.item_keys is not null
    group by 1, 2, 3 order by max(e.seq) desc`;

/** How many events are read for the names in them. */
const mostNamed = 50_000;

/** Returns which of some channels got the newest events since a time, at most `limit`, newest first. */
export async function newestChannels(
  db: Db,
  channels: readonly Channel[],
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<Channel[]> {
  const times = states.map(
    (state) => sql`(select max(received_at) from plancast.events
      where team_id = c.team_id and channel_id = c.id and received_at >= ${since} and ${state})`,
  );
  const [teams, ids] = [channels.map(({ teamId }) => teamId), channels.map(({ channelId }) => channelId)];
  const numbers = await column(db)<number>`
    select c.number::int from unnest(${teams}::text[], ${ids}::text[]) with ordinality as c(team_id, id, number)
      cross join lateral (select greatest(${sql.join(times)}) as at) e
    where e.at is not null order by e.at desc limit ${limit}`;
  return numbers.flatMap((number) => channels[number - 1] ?? []);
}
