import type pg from 'pg';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { replacedTakenMinutes } from './subscriptions.ts';

/** A notification that came in at a callback address, to be stored for the subscription behind it. */
export type NewEvent = {
  /** SHA-256 of the callback token. */
  readonly tokenHash: Buffer;
  readonly notification: Notification;
  /** What one change has in common, however many subscriptions saw it. */
  readonly fingerprint: string;
};

/** What stands behind a callback token. */
export type Addressee = {
  readonly subscriptionId: string;
  readonly state: SubscriptionState;
  readonly endedAt: Date | null;
  /** The record at the service that was made with this very token; null where nobody knows its id. */
  readonly recordId: string | null;
};

/** What came of storing events: what stands behind each token (by the hash in hexadecimal), and how many rows are new. */
export type Accepted = { readonly addressees: ReadonlyMap<string, Addressee>; readonly added: number };

/** A statement with its values, as `pg` takes it. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] };

export type AcceptEventsDeps = {
  /** Connections in pipeline mode, used for nothing else. */
  readonly pool: pg.Pool;
  /** The statements that queue the jobs of lanes. */
  readonly queueing: (lanes: readonly Channel[]) => Promise<readonly Statement[]>;
  /** Queues the jobs of lanes by itself. */
  readonly enqueue: (lanes: readonly Channel[]) => Promise<void>;
};

/** Stores events, for tokens of live subscriptions alone, together with the jobs of their lanes. */
export type AcceptEvents = (
  events: readonly NewEvent[],
  tokenHashes: readonly Buffer[],
  now: Date,
) => Promise<Accepted>;

type Found = {
  token: string;
  id: string;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  state: SubscriptionState;
  ended_at: Date | null;
  record_id: string | null;
  held: string | null;
  added: number;
};

/** Tokens whose lanes are remembered. */
const lanesKept = 20_000;

/**
 * One statement finds what stands behind the tokens and stores the events. They wait where their subscription is paused or tells in a
 * digest. A notification that names another record than its token's is left out, as is one that is there already. The token of a record
 * that was replaced is taken as long as that record stands, and for a while after: then it has ended.
 *
 * The lanes' advisory locks are shared until the commit: a job that is queued already takes the place of ours, and without the lock
 * its worker could look for waiting events just before this transaction commits, and leave these to the next sweep. They are taken
 * before the events get their numbers (which is what `locked` is asked for), so that no event is told before one of a lower number.
 */
const storing = `
  with told as materialized (
    select * from jsonb_to_recordset($1::jsonb) as t(n integer, token text, notification_id text,
      service_subscription_id bigint, fingerprint text, notification jsonb)
  ), found as materialized (
    select encode(callback_token_hash, 'hex') as token, service_subscription_id as record_id, id, enterprise_id, team_id, channel_id,
      state, ended_at, delivery
    from plancast.subscriptions where callback_token_hash = any($2::bytea[])
    union all
    select encode(previous_token_hash, 'hex'), previous_service_subscription_id, id, enterprise_id, team_id, channel_id,
      case when taken_until <= $3 then 'ended' else state end, coalesce(ended_at, taken_until), delivery
    from plancast.subscriptions, lateral (select previous_removed_at + interval '${replacedTakenMinutes} minutes' as taken_until) as replaced
    where previous_token_hash = any($2::bytea[])
  ), judged as materialized (
    select *, case when state = 'paused' then 'paused' when delivery ->> 'when' <> 'live' then 'digest' end as held from found
  ), locked as materialized (
    select pg_advisory_xact_lock_shared(hashtextextended(lane, 0))
    from (select distinct team_id || '/' || channel_id as lane from judged where state <> 'ended') as lanes
  ), added as (
    insert into plancast.events (notification_id, subscription_id, service_subscription_id, enterprise_id, team_id, channel_id,
      state, reason, fingerprint, notification, received_at)
    select t.notification_id, j.id, t.service_subscription_id, j.enterprise_id, j.team_id, j.channel_id,
      'pending', j.held, t.fingerprint, t.notification, $3::timestamptz
    from told t join judged j on j.token = t.token
    where j.state <> 'ended' and (select count(*) from locked) >= 0
      and (t.service_subscription_id is null or j.record_id is null or t.service_subscription_id = j.record_id)
    order by t.n
    on conflict (subscription_id, notification_id) do nothing
    returning 1
  )
  select token, id, enterprise_id, team_id, channel_id, state, ended_at, record_id, held,
    (select count(*) from added)::int as added, (select count(*) from locked)::int as locked
  from judged`;

/**
 * Stores what arrived together in one transaction that is sent to the server at once, without waiting for the answer to each of its
 * statements. Which lanes to queue is known from the last time a token was used; where that turns out to be wrong, the lane is queued
 * right after the commit (and by the next sweep, should the process end in between).
 */
export function makeAcceptEvents({ pool, queueing, enqueue }: AcceptEventsDeps): AcceptEvents {
  const lanes = new Map<string, Channel | null>();

  return async (events, tokenHashes, now) => {
    const tokens = tokenHashes.map((hash) => hash.toString('hex'));
    const queued = distinct(tokens.map((token) => lanes.get(token) ?? null));
    const found = await store(events, tokenHashes, { now, queueing: await queueing(queued) });
    for (const row of found) remember(row);
    const known = new Set(queued.map(nameOf));
    const missed = distinct(found.map(laneToQueue)).filter((lane) => !known.has(nameOf(lane)));
    await enqueue(missed);
    return {
      addressees: new Map(found.map((row) => [row.token, addresseeOf(row)])),
      added: found[0]?.added ?? 0,
    };
  };

  async function store(
    events: readonly NewEvent[],
    tokenHashes: readonly Buffer[],
    { now, queueing }: { now: Date; queueing: readonly Statement[] },
  ): Promise<readonly Found[]> {
    const client = await pool.connect();
    let failed = true;
    try {
      const [, storedEvents] = await allOf<pg.QueryResult<Found>>([
        client.query('begin'),
        client.query<Found>({
          name: 'accept',
          text: storing,
          values: [rowsOf(events), [...tokenHashes], now],
        }),
        ...queueing.map(({ text, values }, index) =>
          client.query({ name: `queue ${index}`, text, values: [...values] }),
        ),
        client.query('commit'),
      ]);
      failed = false;
      return storedEvents?.rows ?? [];
    } finally {
      client.release(failed);
    }
  }

  function remember(row: Found): void {
    lanes.delete(row.token);
    lanes.set(row.token, laneToQueue(row));
    const oldest = lanes.keys().next().value;
    if (lanes.size > lanesKept && oldest !== undefined) lanes.delete(oldest);
  }
}

/** Waits for all, so that nothing of a failed transaction is under way any more, and throws the first failure of them. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

function rowsOf(events: readonly NewEvent[]): string {
  return JSON.stringify(
    events.map(({ tokenHash, notification, fingerprint }, n) => ({
      n,
      token: tokenHash.toString('hex'),
      notification_id: notification.id,
      service_subscription_id: notification.serviceSubscriptionId,
      fingerprint,
      notification,
    })),
  );
}

function addresseeOf({ id, state, ended_at: endedAt, record_id: recordId }: Found): Addressee {
  return { subscriptionId: id, state, endedAt, recordId };
}

/** The lane that is to be given a turn; null where what arrived is not to be posted now. */
function laneToQueue(row: Found): Channel | null {
  if (row.state === 'ended' || row.held !== null) return null;
  return { enterpriseId: row.enterprise_id, teamId: row.team_id, channelId: row.channel_id };
}

function distinct(lanes: readonly (Channel | null)[]): Channel[] {
  return [...new Map(lanes.filter((lane) => lane !== null).map((lane) => [nameOf(lane), lane])).values()];
}

function nameOf({ teamId, channelId }: Channel): string {
  return `${teamId}/${channelId}`;
}
