import { createServer, type Server } from 'node:http';
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { RequestTaker } from './take-notifications.ts';

/** Slow and idle callers are let go, in milliseconds; more than so many at once are not taken. */
const limits = { check: 2_000, headers: 10_000, request: 12_000, keepAlive: 5_000, connections: 2_500 };

export type FrontDeps = {
  /** How many proxies stand in front and are believed about who called. */
  readonly trustProxy: number;
  readonly log: { readonly error: (fields: Record<string, unknown>, message: string) => void };
};

/**
 * The bot's own express app and its server. It listens before the database is there, so that the platform can ask how far the start
 * is; until `open` is called, all but the health routes are asked to come again.
 */
export function makeFront({ trustProxy, log }: FrontDeps) {
  const app: Application = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A number, never `true`: a list of forwarders that anybody can write is not believed.
  app.set('trust proxy', trustProxy);

  let takeFirst: RequestTaker | null = null;
  // Node looks for requests that take too long only as often as this.
  const server = createServer({ connectionsCheckingInterval: limits.check }, (request, response) => {
    if (takeFirst === null) app(request, response);
    else takeFirst(request, response, () => app(request, response));
  });
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.keepAliveTimeout = limits.keepAlive;
  server.maxConnections = limits.connections;

  const notYet: RequestHandler = (_request, response) => {
    response.set('retry-after', '2').status(503).json({});
  };
  let rest: RequestHandler = notYet;

  return {
    app,
    server,

    /** Routes that answer at once, the health routes. */
    use(routes: RequestHandler): void {
      app.use(routes);
    },

    /** Lets callers through to the rest. Call once; `routes` may hold several, and `first` is asked before all of them. */
    open({ routes, first }: { routes: readonly RequestHandler[]; first: RequestTaker | null }): void {
      takeFirst = first;
      const inner = express.Router();
      for (const route of routes) inner.use(route);
      rest = inner;
    },

    /** Ends the list of routes: what nobody took is not there, and what went wrong is told to the log alone. */
    seal(): void {
      app.use((request, response, next) => rest(request, response, next));
      app.use((_request, response) => {
        response.status(404).type('text/plain').send('Nothing here.\n');
      });
      const failed: ErrorRequestHandler = (error, request, response, next) => {
        if (response.headersSent) return next(error);
        const status = statusOf(error);
        if (status >= 500) log.error({ err: error, method: request.method }, 'a request failed');
        response
          .status(status)
          .type('text/plain')
          .send(status >= 500 ? 'Something went wrong.\n' : 'No.\n');
      };
      app.use(failed);
    },
  };
}

/** Listens, and says where. Rejects where the address is taken. */
export function listen(
  server: Server,
  { port, host }: { port: number; host?: string | undefined },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Stops taking requests, and waits for those under way at most so long. */
export async function closeServer(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearTimeout(force);
}

function statusOf(error: unknown): number {
  // Express cannot read an address such as `/notifications/%`: there is nothing at it.
  if (error instanceof URIError) return 404;
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
}
