import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Channel } from '../core/model/people.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { type Connection, poolConfig } from './database.ts';
import type { Database } from './schema.ts';

/** Signals between processes that something waits in a lane. Only a hint: a process that misses it finds the lane in the next sweep. */
const channelName = 'plancast_lanes';
/** Postgres takes 8,000 bytes; of more lanes than fit it is only said that there are some. */
const longestPayload = 7_900;
const reconnectMs = 1_000;

/** Says that something waits in lanes; within a transaction, once that is committed. */
export async function signalLanes(db: Kysely<Database>, lanes: readonly Channel[]): Promise<void> {
  if (lanes.length === 0) return;
  const payload = JSON.stringify(
    lanes.map(({ enterpriseId, teamId, channelId }) => [enterpriseId, teamId, channelId]),
  );
  const sent = Buffer.byteLength(payload) > longestPayload ? '' : payload;
  await sql`select pg_notify(${channelName}, ${sent})`.execute(db);
}

export type LaneListener = {
  /** Called with the lanes in which something waits, and with null where it was not said which, or something may have been missed. */
  readonly onSignal: (lanes: readonly Channel[] | null) => void;
  readonly connection: Connection;
  readonly log: Log;
};

/** Hears what processes say of lanes, on a connection of its own, which is opened again whenever it ends. */
export function listenForLanes({ onSignal, connection, log }: LaneListener) {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function open(): void {
    const mine = new pg.Client(poolConfig({ connection, applicationName: 'plancast listening' }));
    client = mine;
    const again = (error?: Error): void => {
      if (client !== mine) return;
      client = undefined;
      void mine.end().catch(() => undefined);
      if (closed) return;
      log.warn({ code: codeOf(error) }, 'lanes are not listened for; connecting again');
      timer = setTimeout(open, reconnectMs);
    };
    mine.on('error', again);
    mine.on('end', () => again());
    mine.on('notification', ({ payload }) => onSignal(lanesIn(payload ?? '')));
    mine
      .connect()
      .then(() => mine.query(`listen ${channelName}`))
      .then(() => onSignal(null), again);
  }

  open();
  return {
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}

/** Null where it was not said which lanes. */
function lanesIn(payload: string): Channel[] | null {
  try {
    const lanes: unknown = JSON.parse(payload);
    if (!Array.isArray(lanes)) return null;
    return lanes.map(([enterpriseId, teamId, channelId]) => ({ enterpriseId, teamId, channelId }));
  } catch {
    return null;
  }
}
