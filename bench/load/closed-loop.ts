import { type Connection, openConnection } from './connection.ts';

export type ClosedLoop = {
  readonly port: number;
  readonly connections: number;
  /** Sent but not counted, in seconds. */
  readonly warmSeconds: number;
  /** How long it is counted, in seconds; by default until `most` were sent. */
  readonly seconds?: number | undefined;
  readonly most?: number | undefined;
  /** The request of that number. */
  readonly request: (number: number) => string | Buffer;
};

/** What came of the requests that were counted. */
export type Answers = {
  /** How many of each status; 0 stands for a connection that ended without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly seconds: number;
  /** Milliseconds from the sending to the answer, of each. */
  readonly latencies: Float64Array;
  /** When the last answer came, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** Numbers below this one were sent. */
  readonly sent: number;
};

/** Milliseconds since the epoch, to the microsecond: processes of one machine agree on it. */
export const epochNow = (): number => performance.timeOrigin + performance.now();

/** Each connection sends its next request when the last one was answered: how much can be taken in. */
export function runClosedLoop(loop: ClosedLoop): Promise<Answers> {
  const { warmSeconds, seconds = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = loop;
  const countFrom = performance.now() + warmSeconds * 1_000;
  const end = countFrom + seconds * 1_000;
  const statuses: Record<number, number> = {};
  const latencies: number[] = [];
  let sent = 0;
  let open = loop.connections;
  let last = countFrom;
  const connections = Array.from({ length: loop.connections }, () => openConnection(loop.port));

  return new Promise((resolve) => {
    for (const connection of connections) next(connection);

    function next(connection: Connection): void {
      const began = performance.now();
      if (sent >= most || began >= end) {
        connection.close();
        open -= 1;
        if (open === 0) finish();
        return;
      }
      const number = sent;
      sent += 1;
      connection.send(loop.request(number), (status) => {
        const now = performance.now();
        if (now >= countFrom && now < end) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          latencies.push(now - began);
          last = now;
        }
        next(connection);
      });
    }

    function finish(): void {
      const counted = (Number.isFinite(seconds) ? seconds : (last - countFrom) / 1_000) || 0;
      resolve({
        statuses,
        seconds: counted,
        latencies: Float64Array.from(latencies),
        lastAt: performance.timeOrigin + last,
        sent,
      });
    }
  });
}
