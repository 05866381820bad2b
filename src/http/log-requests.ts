import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';

/** Has a line written about each request when its answer is out. Does nothing unless `LOG_LEVEL` lets such lines through. */
export function logRequests(server: Server, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  server.on('request', (request, response) => {
    const started = performance.now();
    response.once('close', () => {
      const ms = Math.round(performance.now() - started);
      log.debug(
        { method: request.method, route: routeOf(request), status: response.statusCode, ms },
        response.writableFinished ? 'request' : 'request whose caller went away',
      );
    });
  });
}

/** A path as far as it is one of ours: what follows these words is a token, or chosen by the sender. */
const routes =
  /^\/(?:healthz|readyz|notifications|link|oauth\/callback|slack\/(?:events|install|oauth_redirect))(?![^/?])/;

function routeOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return routes.exec(url)?.[0] ?? 'another';
}
