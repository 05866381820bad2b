import { type Connection, openConnection } from './connection.ts';

export type ClosedLoop = {
  readonly port: number;
  readonly connections: number;
  /** Warm-up in seconds, not counted. */
  readonly warmSeconds: number;
  /** Measured time in seconds; by default until `most` requests were sent. */
  readonly seconds?: number | undefined;
  readonly most?: number | undefined;
  /** Returns the request with that number. */
  readonly request: (number: number) => string | Buffer;
};

/** The results of the counted requests. */
export type Answers = {
  /** The number of answers per status; 0 is a connection that closed without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly seconds: number;
  /** Milliseconds from request to answer. */
  readonly latencies: Float64Array;
  /** When the last answer arrived, in epoch milliseconds. */
  readonly lastAt: number;
  /** The first number that was not sent. */
  readonly sent: number;
};

/** Epoch milliseconds with microseconds: comparable between processes of one machine. */
export const epochNow = (): number => performance.timeOrigin + performance.now();

/** Each connection sends its next request after the previous answer: measures maximum throughput. */
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
