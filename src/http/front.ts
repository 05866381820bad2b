import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { DebugLog } from '../lib/log.ts';
import { http } from '../lib/node-http.ts';
import type { RequestTaker } from './receiver/take-notifications.ts';

/**
 * Timeouts for slow and idle connections, in milliseconds, and the maximum number of connections. `keepAlive` is longer than load balancers
 * keep a connection (often 60 s), so that we never close one on which they are about to send. `request`: for a request to arrive. `unread`:
 * every response is sent within seconds, so on a connection that is silent for longer, the client is not reading it. Node waits once more if
 * some of it was read meanwhile.
 */
const limits = {
  check: 1_000,
  keepAlive: 70_000,
  request: 12_000,
  unread: 30_000,
  connections: 2_500,
};

/** After this many ticks (of `tick` milliseconds) without a new connection, clients have moved on. `most` is the longest wait for that. */
const quiet = { ticks: 10, tick: 5, most: 2_000 };
const idleCheckMs = 50;

type FrontDeps = {
  /** How many proxies in front of the bot are trusted to name the client's address. */
  readonly trustProxy: number;
  readonly isReady: () => Promise<boolean>;
  readonly log: DebugLog;
};

/** Makes the bot's server. It listens, for health checks, before there is a database; until `open`, other routes answer 503. */
export function makeFront({ trustProxy, isReady, log }: FrontDeps) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A number, never `true`: anyone can forge `X-Forwarded-For`.
  app.set('trust proxy', trustProxy);

  let takeFirst: RequestTaker | null = null;
  let draining = false;
  // `connectionsCheckingInterval` is how often Node looks for requests that take too long.
  const server = http.createServer({ connectionsCheckingInterval: limits.check }, (request, response) => {
    if (draining) response.shouldKeepAlive = false;
    if (takeFirst === null) app(request, response);
    else takeFirst(request, response, () => app(request, response));
  });
  // Node applies the longer of the two to the whole request. Neither runs while a connection is idle between requests.
  server.headersTimeout = limits.request;
  server.requestTimeout = limits.request;
  server.timeout = limits.unread;
  server.keepAliveTimeout = limits.keepAlive;
  server.maxConnections = limits.connections;

  const notYet: RequestHandler = (request, response) => {
    // No code can be redeemed yet, but none may stay in the address bar either. Below a path that a proxy strips, only a relative URL fits.
    if (request.path === '/oauth/callback') return response.redirect(303, '../linked');
    // Browsers ignore `Retry-After`; with `Refresh`, a person sees the page once there is one.
    response.set({ 'retry-after': '2', refresh: '2' }).status(503).json({});
  };
  let rest: RequestHandler = notYet;
  // While the event loop runs: it never asks the database, because an outage of that must not make the platform restart every process.
  app.get('/healthz', (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  // While the process can serve. Neither reveals more.
  app.get('/readyz', async (_request, response) => {
    const ready = !draining && (await isReady().catch(() => false));
    const text = ready ? 'ready\n' : 'not ready\n';
    response
      .status(ready ? 200 : 503)
      .type('text/plain')
      .send(text);
  });
  app.use((request, response, next) => rest(request, response, next));
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('Nothing here.\n');
  });
  // Reveals no details.
  const failed: ErrorRequestHandler = (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const status = statusOf(error);
    if (status >= 500) log.error({ err: error, method: request.method }, 'a request failed');
    const text = status >= 500 ? 'Something went wrong.\n' : 'This request was refused.\n';
    response.status(status).type('text/plain').send(text);
  };
  app.use(failed);
  if (log.isLevelEnabled('debug')) logRequests(server, log);

  return {
    server,

    /** Opens the other routes. Call once; `first` gets every request before `routes`. */
    open({ routes, first }: { routes: readonly RequestHandler[]; first: RequestTaker | null }): void {
      takeFirst = first;
      const inner = express.Router();
      for (const route of routes) inner.use(route);
      rest = inner;
    },

    /** Is not ready any more, and adds `Connection: close` to every response, so that clients disconnect before the server closes. */
    drain(): void {
      draining = true;
    },
  };
}

/** Listens, and resolves to the port. Rejects if the address is taken. */
export async function listen(
  server: Server,
  { port, host }: { port: number; host?: string | undefined },
): Promise<number> {
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Stops accepting requests, and waits at most `withinMs` for open ones. */
export async function closeServer(server: Server, withinMs: number): Promise<void> {
  await noneConnects(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const force = setTimeout(() => server.closeAllConnections(), withinMs);
  // `close` ends the connections that are idle by then; one that was answering still offered to stay.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}

/**
 * Waits until no new connections arrive. When a server closes, connections that the system has accepted but Node has not are reset. Node
 * accepts one per turn of its event loop, so turns are counted, and a process that was starved of CPU waits longer.
 */
async function noneConnects(server: Server): Promise<void> {
  let ticks = 0;
  const startAgain = (): void => {
    ticks = 0;
  };
  server.on('connection', startAgain);
  const until = performance.now() + quiet.most;
  while (ticks < quiet.ticks && performance.now() < until) {
    ticks += 1;
    await sleep(quiet.tick);
  }
  server.off('connection', startAgain);
}

function statusOf(error: unknown): number {
  // Express cannot decode a path such as `/notifications/%`, so nothing is there.
  if (error instanceof URIError) return 404;
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
}

/** Logs a line for each request when its response ends. */
function logRequests(server: Server, log: DebugLog): void {
  server.on('request', (request, response) => {
    const started = performance.now();
    response.once('close', () => {
      const ms = Math.round(performance.now() - started);
      log.debug(
        { method: request.method, route: routeOf(request), status: response.statusCode, ms },
        response.writableFinished ? 'request' : 'request aborted by the caller',
      );
    });
  });
}

/** The part of a path that can be logged. Anything after it is a token or chosen by the sender. */
const routes =
  /^\/(?:healthz|readyz|notifications|link|linked|oauth\/callback|slack\/(?:events|install|oauth_redirect))(?![^/?])/;

function routeOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return routes.exec(url)?.[0] ?? 'another';
}
