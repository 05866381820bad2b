import { once } from 'node:events';
import { createServer, type Server, Socket } from 'node:net';

/** Where a proxy leads: a port of loopback, or a Unix socket. */
export type ProxyTarget = { readonly port: number } | { readonly path: string };

/**
 * What happens to connections from the time of a black hole: lost as in a restarted firewall, or delivered as after a cable is plugged in
 * again.
 */
export type AfterBlackHole = 'lost' | 'delivered';

export type TcpProxy = {
  readonly port: number;
  /** Returns how many connections were accepted in total. */
  readonly taken: () => number;
  /** Delays each answer by this many milliseconds from now on. */
  readonly slowBy: (milliseconds: number) => void;
  /** Resets every open connection. New ones are accepted. */
  readonly resetAll: () => void;
  /** Accepts connections and lets nothing through in either direction, not even a close, like a dropped route. */
  readonly blackHole: () => void;
  /** Resets open connections and refuses new ones. */
  readonly refuse: () => Promise<void>;
  /** Lets everything through again, without delay. By default, connections from the black hole stay `lost`. */
  readonly heal: (held?: AfterBlackHole) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** One direction of a connection: data to forward, in order, each chunk no earlier than its time. */
type Way = {
  readonly to: Socket;
  readonly slowMs: () => number;
  readonly waiting: { readonly due: number; readonly send: () => void }[];
  timer: NodeJS.Timeout | undefined;
};

type Pair = {
  readonly near: Socket;
  readonly far: Socket;
  readonly ways: readonly [Way, Way];
  lost: boolean;
};

/** Starts a proxy on a free loopback port that leads to `target`, and can be made to misbehave while it runs. */
export async function startTcpProxy(target: ProxyTarget): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let isHole = false;
  let slowMs = 0;
  let taken = 0;
  const server = createServer({ allowHalfOpen: true }, take);
  const port = await listenOn(server, 0);
  const isStuck = (pair: Pair) => isHole || pair.lost;

  function take(near: Socket): void {
    taken += 1;
    const far = new Socket({ allowHalfOpen: true });
    const there: Way = { to: far, slowMs: () => 0, waiting: [], timer: undefined };
    const back: Way = { to: near, slowMs: () => slowMs, waiting: [], timer: undefined };
    // A connection accepted during a black hole never reaches the target.
    const pair: Pair = { near, far, ways: [there, back], lost: isHole };
    pairs.add(pair);
    lead(pair, near, there);
    lead(pair, far, back);
    if (!isHole) far.connect('path' in target ? target : { ...target, host: '127.0.0.1' });
  }

  function lead(pair: Pair, from: Socket, way: Way): void {
    from.setNoDelay();
    from.on('data', (chunk) => pass(pair, way, () => way.to.write(chunk)));
    from.on('end', () => pass(pair, way, () => way.to.end()));
    from.on('error', () => {
      if (!isStuck(pair)) drop(pair);
    });
    from.on('close', () => {
      if (!isStuck(pair) && pair.near.destroyed && pair.far.destroyed) pairs.delete(pair);
    });
  }

  function pass(pair: Pair, way: Way, send: () => void): void {
    way.waiting.push({ due: performance.now() + way.slowMs(), send });
    flush(pair, way);
  }

  function flush(pair: Pair, way: Way): void {
    if (isStuck(pair) || way.timer !== undefined) return;
    for (let next = way.waiting[0]; next !== undefined; next = way.waiting[0]) {
      const wait = next.due - performance.now();
      if (wait > 0) {
        way.timer = setTimeout(() => {
          way.timer = undefined;
          flush(pair, way);
        }, wait);
        return;
      }
      way.waiting.shift();
      if (!way.to.destroyed) next.send();
    }
  }

  function drop(pair: Pair): void {
    for (const { timer } of pair.ways) clearTimeout(timer);
    pairs.delete(pair);
    pair.far.destroy();
    if (!pair.near.destroyed) pair.near.resetAndDestroy();
  }

  function dropAll(): void {
    for (const pair of [...pairs]) drop(pair);
  }

  function leaveHole(held: AfterBlackHole): void {
    isHole = false;
    for (const pair of pairs) {
      if (held === 'lost') pair.lost = true;
      for (const way of pair.ways) flush(pair, way);
    }
  }

  return {
    port,
    taken: () => taken,
    slowBy(milliseconds) {
      slowMs = milliseconds;
    },
    resetAll: dropAll,
    blackHole() {
      isHole = true;
    },
    async refuse() {
      if (server.listening) server.close();
      dropAll();
    },
    async heal(held = 'lost') {
      slowMs = 0;
      if (isHole) leaveHole(held);
      if (!server.listening) await listenOn(server, port);
    },
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      if (server.listening) server.close();
      dropAll();
      await closed;
    },
  };
}

async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
