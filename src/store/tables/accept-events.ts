import type pg from 'pg';
import type { LoggedSubscription } from '../../core/model/log-fields.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { isKeyedByName, withoutNames } from './lane-statements.ts';
import { tokenEnded } from './remotes.ts';
import { laneOf } from './taken-lane.ts';

/** A notification received at a callback URL, to be stored for its subscription. */
export type NewEvent = {
  /** SHA-256 of the callback token. */
  readonly tokenHash: Buffer;
  readonly notification: Notification;
  /** The same for every notification of one change, whichever subscription it was sent to. */
  readonly fingerprint: string;
  /** Keys of the items whose last known state is needed to post it. */
  readonly itemKeys: readonly string[];
};

/** The subscription that a callback token belongs to. */
export type Addressee = LoggedSubscription & {
  readonly state: SubscriptionState;
  readonly endedAt: Date | null;
  /** The id of the remote subscription created with this token; null if unknown. */
  readonly recordId: string | null;
};

/** The result of storing events. */
type Accepted = {
  /** The subscription of each token, by the token's hash in hexadecimal. */
  readonly addressees: ReadonlyMap<string, Addressee>;
  /** The number of new rows. */
  readonly added: number;
  /** Lanes with new events to post. */
  readonly lanes: readonly Channel[];
};

type Found = Addressee & {
  readonly token: string;
  readonly held: string | null;
  readonly added: number;
};

/** The key of the advisory lock under which events get their numbers. Any number that nothing else uses would do. */
export const numberingLock = 7_305;

/** SQL: whether the subscription posts a notification of this type right away instead of holding it for the digest. */
export const isExcepted = (sent: string, judged: string) =>
  `${judged}.held is not distinct from 'digest' and coalesce(
    ${judged}.delivery::jsonb -> 'except' @> to_jsonb(lower(${sent}.notification ->> 'eventType')), false)`;

/**
 * SQL: whether a notification is about something in the resource that a subscription follows alone. The wider remote subscription that was
 * replaced sends such events until it is deleted.
 */
const isBelow = (sent: string, judged: string) =>
  `(${judged}.was_wider and case ${sent}.notification ->> 'resourceType'
    when 'SessionDocuments' then ${judged}.kind = 'session'
    when 'ProjectItems' then ${judged}.kind = 'project'
      or ${judged}.kind = 'folder' and ${sent}.notification ->> 'itemId' is distinct from ${judged}.item_id
    else false end)`;

/**
 * Finds the subscriptions of the tokens and stores the events, in one statement. Events of a paused subscription, or of one that posts a
 * digest, are held. A notification that names a remote subscription other than its token's is skipped, and so is one that is already
 * stored. The token of a replaced remote subscription is accepted as long as that exists and for a while after that; then it counts as
 * ended.
 *
 * A pause may end while this statement waits, or a digest may be switched to live. So rows that have one are locked and read again right before
 * the insert: nothing settles or changes one that is locked, and what does so later finds these events. One that is locked by something else is
 * not waited for: its events are not held for a pause, and the turn of their lane settles them; for a digest they are held.
 *
 * Only one statement at a time numbers events: `locked` is read before any row is inserted. Postgres releases the lock only after the
 * commit is visible to others, so a reader that sees an event also sees all with lower numbers. A lane's events are therefore posted in the
 * order of their numbers, and reading them needs no lock.
 */
const storing = `
  with sent as materialized (
    select * from jsonb_to_recordset($1::jsonb) as t(n integer, token text, notification_id text,
      service_subscription_id bigint, fingerprint text, keys text[], notification jsonb)
  ), found as materialized (
    select encode(r.token_hash, 'hex') as token, r.service_id as record_id, s.id, s.enterprise_id, s.team_id, s.channel_id, s.owner_user_id,
      case when e.at <= $3 then 'ended' else s.state end as state, e.at as ended_at, s.delivery, s.kind, s.item_id,
      r.comprehensive and not s.comprehensive as was_wider
    from plancast.remotes r
    join plancast.subscriptions s on s.id = r.subscription_id
    cross join lateral (select ${tokenEnded} as at) e
    where r.token_hash = any($2::bytea[])
  ), locked as materialized (select pg_advisory_xact_lock(${numberingLock})), reread as materialized (
    select s.id, s.state, s.delivery from plancast.subscriptions s
    where s.id = any(array(select f.id from found f where f.state = 'paused' or f.delivery ->> 'when' <> 'live'))
      and (select count(*) from locked) >= 0 for share of s skip locked
  ), judged as materialized (
    select f.*, case when r.state = 'paused' then 'paused' when coalesce(r.delivery, f.delivery) ->> 'when' <> 'live' then 'digest' end as held
    from found f left join reread r on r.id = f.id
  ), added as (
    insert into plancast.events (notification_id, subscription_id, service_subscription_id, enterprise_id, team_id, channel_id,
      state, reason, fingerprint, item_keys, notification, received_at)
    select t.notification_id, j.id, t.service_subscription_id, j.enterprise_id, j.team_id, j.channel_id,
      case when ${isBelow('t', 'j')} then 'filtered' else 'pending' end,
      case when ${isBelow('t', 'j')} then 'path' when not (${isExcepted('t', 'j')}) then j.held end, t.fingerprint,
      case when ${isBelow('t', 'j')} and ${isKeyedByName('t')} then null else t.keys end,
      case when ${isBelow('t', 'j')} then t.notification || '${withoutNames}'::jsonb else t.notification end, $3::timestamptz
    from sent t join judged j on j.token = t.token
    where j.state <> 'ended' and (select count(*) from locked) >= 0
      and (t.service_subscription_id is null or j.record_id is null or t.service_subscription_id = j.record_id)
    order by t.n
    on conflict (subscription_id, notification_id) do nothing
    returning 1
  )
  select token, id, enterprise_id as "enterpriseId", team_id as "teamId", channel_id as "channelId", owner_user_id as "ownerUserId", state,
    ended_at as "endedAt", record_id as "recordId",
    case when not exists (select from sent t where t.token = j.token and ${isExcepted('t', 'j')}) then held end as held,
    (select count(*) from added)::int as added
  from judged j`;

/** Stores events that arrived together, for tokens of live subscriptions. Resolves once they are committed. `pool`: only for this. */
export async function acceptEvents(
  pool: pg.Pool,
  events: readonly NewEvent[],
  tokenHashes: readonly Buffer[],
  now: Date,
): Promise<Accepted> {
  const { rows } = await pool.query<Found>({
    name: 'accept',
    text: storing,
    values: [rowsOf(events), [...tokenHashes], now],
  });
  const added = rows[0]?.added ?? 0;
  return {
    addressees: new Map(rows.map((row) => [row.token, row])),
    added,
    lanes: added === 0 ? [] : rows.filter(isToPost).map(laneOf),
  };
}

function rowsOf(events: readonly NewEvent[]): string {
  return JSON.stringify(
    events.map(({ tokenHash, notification, fingerprint, itemKeys }, n) => ({
      n,
      token: tokenHash.toString('hex'),
      notification_id: notification.id,
      service_subscription_id: notification.serviceSubscriptionId,
      fingerprint,
      keys: itemKeys,
      notification,
    })),
  );
}

function isToPost({ state, held }: Found): boolean {
  return state !== 'ended' && held === null;
}
