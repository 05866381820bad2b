import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from '../lib/log.ts';

/** Logs a line for each request when its response ends. Does nothing unless `LOG_LEVEL` includes debug lines. */
export function logRequests(server: Server, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
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
