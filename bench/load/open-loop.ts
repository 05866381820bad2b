import { type Connection, openConnection } from './connection.ts';

export type OpenLoop = {
  readonly port: number;
  /** Requests per second, evenly spaced. */
  readonly rate: number;
  readonly seconds: number;
  /** Returns the request with that number. */
  readonly request: (number: number) => string;
};

/** The results of sending at a fixed rate. All lists are indexed by the request's number. */
export type Paced = {
  /** When it was due, in epoch milliseconds. */
  readonly dueAt: Float64Array;
  /** Milliseconds from due to answered; NaN if there was no answer. */
  readonly latencies: Float64Array;
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds each was sent late. */
  readonly lateness: Float64Array;
};

/** The bot closes idle connections after 5 s: one that is about to be closed is not used. In milliseconds. */
const idleAtMostMs = 2_500;
const answersWithinMs = 15_000;

type Idle = { readonly connection: Connection; readonly since: number };

/**
 * Sends each request when it is due, on a new connection if all others are waiting for answers, and measures from when it was due: a server
 * that stalls is charged for every request due in the meantime (no coordinated omission).
 */
export function runOpenLoop({ port, rate, seconds, request }: OpenLoop): Promise<Paced> {
  const total = Math.round(rate * seconds);
  const dueAt = new Float64Array(total);
  const latencies = new Float64Array(total).fill(Number.NaN);
  const lateness = new Float64Array(total);
  const statuses: Record<number, number> = {};
  const idle: Idle[] = [];
  const start = performance.now() + 20;
  let sent = 0;
  let answered = 0;

  return new Promise((resolve) => {
    let deadline: NodeJS.Timeout | undefined;
    sendDue();

    function sendDue(): void {
      const now = performance.now();
      while (sent < total && start + (sent * 1_000) / rate <= now) send(sent++, now);
      if (sent < total) setTimeout(sendDue, Math.max(0, start + (sent * 1_000) / rate - performance.now()));
      else if (answered < total) deadline = setTimeout(finish, answersWithinMs);
    }

    function send(number: number, now: number): void {
      const due = start + (number * 1_000) / rate;
      dueAt[number] = performance.timeOrigin + due;
      lateness[number] = now - due;
      const connection = freeConnection(now);
      connection.send(request(number), (status) => {
        const at = performance.now();
        latencies[number] = at - due;
        statuses[status] = (statuses[status] ?? 0) + 1;
        idle.push({ connection, since: at });
        answered += 1;
        if (answered === total) finish();
      });
    }

    function freeConnection(now: number): Connection {
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        if (now - last.since < idleAtMostMs) return last.connection;
        last.connection.close();
      }
      return openConnection(port);
    }

    function finish(): void {
      clearTimeout(deadline);
      for (const { connection } of idle) connection.close();
      resolve({ dueAt, latencies, statuses, lateness });
    }
  });
}
