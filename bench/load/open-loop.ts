import { type Connection, openConnection } from './connection.ts';

export type OpenLoop = {
  readonly port: number;
  /** Requests a second, evenly spread. */
  readonly rate: number;
  readonly seconds: number;
  /** The request of that number. */
  readonly request: (number: number) => string;
};

/** What was sent at a fixed rate. All lists go by the request's number. */
export type Paced = {
  /** When it was due, in milliseconds since the epoch. */
  readonly dueAt: Float64Array;
  /** Milliseconds from when it was due to its answer; NaN where none came. */
  readonly latencies: Float64Array;
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds by which each was sent late. */
  readonly lateness: Float64Array;
};

/** The bot lets idle connections go after 5 s: one that is about to be closed is not used. */
const idleAtMostMs = 2_500;
const answersWithinMs = 15_000;

type Idle = { readonly connection: Connection; readonly since: number };

/**
 * Sends each request when it is due, on a connection of its own where all others are waiting for their answers, and counts from when
 * it was due: a server that stalls is charged for all that was to come meanwhile (no coordinated omission).
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
