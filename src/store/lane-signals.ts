import pg from 'pg';
import type { Channel } from '../core/model/people.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { type Connection, poolConfig } from './database.ts';
import { type Db, run } from './sql.ts';

/** Postgres channel for signals that a lane has something pending. Only a hint: the next sweep finds what a process has missed. */
const channelName = 'plancast_lanes';
/** Maximum bytes of a payload; Postgres takes 8,000. If the lanes do not fit, the signal says only that there are some. */
const longestPayload = 7_900;
const reconnectMs = 1_000;
/** The name of the connection that listens, by which the doctor sees whether a process posts. */
export const listeningName = 'plancast listening';

/** Signals that lanes have something pending; within a transaction, Postgres sends it at the commit. */
export async function signalLanes(db: Db, lanes: readonly Channel[]): Promise<void> {
  if (lanes.length === 0) return;
  const payload = JSON.stringify(
    lanes.map(({ enterpriseId, teamId, channelId }) => [enterpriseId, teamId, channelId]),
  );
  const sent = Buffer.byteLength(payload) > longestPayload ? '' : payload;
  await run(db)`select pg_notify(${channelName}, ${sent})`;
}

type LaneListener = {
  /** Called with the lanes that have something pending; with null if they were not named or signals may have been missed. */
  readonly onSignal: (lanes: readonly Channel[] | null) => void;
  readonly connection: Connection;
  readonly log: Log;
};

/** Listens for lane signals on a connection of its own, which is reopened whenever it ends. */
export function listenForLanes({ onSignal, connection, log }: LaneListener) {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function open(): void {
    const current = new pg.Client(poolConfig({ connection, applicationName: listeningName }));
    client = current;
    const again = (error?: Error): void => {
      if (client !== current) return;
      client = undefined;
      void current.end().catch(() => undefined);
      if (closed) return;
      log.warn({ code: codeOf(error) }, 'not listening for lane signals; connecting again');
      timer = setTimeout(open, reconnectMs);
    };
    current.on('error', again);
    current.on('end', () => again());
    current.on('notification', ({ payload }) => onSignal(lanesIn(payload ?? '')));
    current
      .connect()
      .then(() => current.query(`listen ${channelName}`))
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

/** Returns the lanes of a payload; null if it names none. */
function lanesIn(payload: string): Channel[] | null {
  try {
    const lanes: unknown = JSON.parse(payload);
    if (!Array.isArray(lanes)) return null;
    return lanes.map(([enterpriseId, teamId, channelId]) => ({ enterpriseId, teamId, channelId }));
  } catch {
    return null;
  }
}
