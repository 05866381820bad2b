import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * What happens to the calls that the handling of one request makes: statements, and calls to Slack and to the service.
 * - `killed`: the n-th call and all later ones never leave, as if the process had died; its transaction is rolled back
 * - `refused`: only the n-th call never leaves
 * - `unanswered`: only the n-th call; it is carried out, and its answer never arrives
 */
export type Cut = { readonly how: 'killed' | 'refused' | 'unanswered'; readonly nth: number };

/** One request to the bot whose calls are counted. */
export type CutRequest = {
  /** Returns what its handling has called so far: the beginning of each statement, or an address. */
  readonly calls: () => readonly string[];
  /** Resolves once the request was received and has made no call for a while. */
  readonly settled: () => Promise<void>;
};

type Fate = 'passes' | 'never leaves' | 'unanswered';
type Running = { readonly cut: Cut; readonly calls: string[]; open: number; lastAt: number | null };

/** Longer than a request waits between two calls. */
const quietMs = 200;
const quietWithinMs = 15_000;

/** Ends a connection as a server does that is gone. Its pool then discards it. */
async function endConnection(client: pg.Client): Promise<Error> {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  if (!connection.stream.destroyed) {
    const ended = once(client, 'end');
    connection.stream.destroy();
    await ended;
  }
  return new Error('Connection terminated unexpectedly');
}

/**
 * Counts and cuts the calls of chosen requests to bots in this process. A request's calls are told from all others by its asynchronous
 * context, so any number of requests can be cut at the same time, and chores and lanes are not. Call before the bot is composed.
 */
export function startCuttingCalls() {
  const context = new AsyncLocalStorage<Running>();
  const armed: { readonly path: string; readonly running: Running }[] = [];
  const original = {
    connect: pg.Pool.prototype.connect,
    query: pg.Client.prototype.query,
    request: http.request,
    fetch: globalThis.fetch,
  };

  const received = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    const at = armed.findIndex(({ path }) => request.url?.startsWith(path));
    const [taken] = at < 0 ? [] : armed.splice(at, 1);
    if (!taken) return;
    taken.running.lastAt = Date.now();
    context.enterWith(taken.running);
  };

  function fateOf(running: Running, call: string): Fate {
    const { how, nth } = running.cut;
    const at = running.calls.push(call);
    if (how === 'killed' && at >= nth) return 'never leaves';
    if (at !== nth) return 'passes';
    return how === 'unanswered' ? 'unanswered' : 'never leaves';
  }

  /** Makes a call as `fate` says. `lose` fails it before it leaves or after it was answered. */
  async function meet<T>(
    running: Running,
    fate: Fate,
    call: () => Promise<T>,
    lose: () => Promise<Error> | Error,
  ): Promise<T> {
    running.open += 1;
    try {
      if (fate === 'never leaves') throw await lose();
      const answer = await call();
      if (fate === 'unanswered') throw await lose();
      return answer;
    } finally {
      running.open -= 1;
      running.lastAt = Date.now();
    }
  }

  // Whoever waits for a free connection is called by the one who releases it.
  pg.Pool.prototype.connect = function connect(this: pg.Pool, callback?: (...args: unknown[]) => void) {
    return Reflect.apply(original.connect, this, callback ? [AsyncLocalStorage.bind(callback)] : []);
  } as typeof pg.Pool.prototype.connect;

  pg.Client.prototype.query = function query(this: pg.Client, ...given: unknown[]) {
    const running = context.getStore();
    const call = original.query as (...args: unknown[]) => unknown;
    const [statement] = given as [string | { readonly text?: string }];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (!running || text === undefined) return call.apply(this, given);
    const callback =
      typeof given.at(-1) === 'function' ? (given.pop() as (...args: unknown[]) => void) : null;
    const answer = meet(
      running,
      fateOf(running, text.trim().replaceAll(/\s+/g, ' ').slice(0, 90)),
      () => call.apply(this, given) as Promise<unknown>,
      () => endConnection(this),
    );
    if (callback !== null)
      answer.then(
        (result) => callback(null, result),
        (error: unknown) => callback(error),
      );
    return answer;
  } as typeof pg.Client.prototype.query;

  globalThis.fetch = async (input, init) => {
    const running = context.getStore();
    if (!running) return original.fetch(input, init);
    const { method = 'GET', url } = input instanceof Request ? input : { ...init, url: String(input) };
    return meet(
      running,
      fateOf(running, `${method} ${new URL(url).pathname}`),
      () => original.fetch(input, init),
      () => new TypeError('fetch failed'),
    );
  };

  http.request = ((...given: Parameters<typeof http.request>) => {
    const request = original.request(...given);
    const running = context.getStore();
    if (!running) return request;
    const fate = fateOf(running, `Slack ${request.path}`);
    const lost = new Error('socket hang up');
    const answered = new Promise<void>((resolve, reject) => {
      request.on('error', reject).on('close', resolve);
    });
    if (fate === 'never leaves') request.destroy(lost);
    if (fate === 'unanswered') request.prependListener('response', (response) => response.destroy(lost));
    meet(running, 'passes', () => answered, Error).catch(() => {});
    return request;
  }) as typeof http.request;
  syncBuiltinESMExports();
  subscribe('http.server.request.start', received);

  return {
    /** Cuts the handling of the next request to a path that begins like this. */
    next(path: string, cut: Cut): CutRequest {
      const running: Running = { cut, calls: [], open: 0, lastAt: null };
      armed.push({ path, running });
      return {
        calls: () => running.calls,
        async settled() {
          const end = Date.now() + quietWithinMs;
          const isQuiet = () =>
            running.lastAt !== null && running.open === 0 && Date.now() - running.lastAt > quietMs;
          while (!isQuiet()) {
            if (Date.now() > end) throw new Error(`a request to ${path} does not settle`);
            await sleep(20);
          }
        },
      };
    },
    stop(): void {
      pg.Pool.prototype.connect = original.connect;
      pg.Client.prototype.query = original.query;
      http.request = original.request;
      globalThis.fetch = original.fetch;
      syncBuiltinESMExports();
      unsubscribe('http.server.request.start', received);
    },
  };
}
