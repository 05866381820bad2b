import { type Request, type Response, Router } from 'express';
import type { Bot } from '../../core/bot.ts';
import { stateOfToken } from '../../core/receiving/receive.ts';

/** The `Retry-After` of a 503, in seconds. */
const retryAfterSeconds = 5;

type NotificationRoutesDeps = Pick<Bot, 'clock' | 'db' | 'tokens'> & {
  /** Counts a refused notification. */
  readonly counted: (result: string, seconds: number) => void;
};

/**
 * Routes of the callback URLs for everything but notifications, which `makeTakeNotifications` answers: `GET` says whether a URL is in use,
 * and junk is refused without a query.
 */
export function notificationRoutes(deps: NotificationRoutesDeps): Router {
  const router = Router();
  const path = '/notifications/:token';

  router.all(path, (request, response, next) => {
    if (deps.tokens.isOurs(request.params.token)) next();
    else refuseJunk(request, response);
  });
  router.get(path, probe);
  // `makeTakeNotifications` passes on notifications with an unknown token.
  router.post(path, refuseJunk);
  router.put(path, refuseJunk);
  router.all(path, (_request, response) => {
    response.set('allow', 'GET, HEAD, POST, PUT').status(405).json({});
  });
  return router;

  async function probe(request: Request<{ token: string }>, response: Response): Promise<void> {
    const hash = deps.tokens.hash(request.params.token);
    switch (await stateOfToken(deps, hash).catch(() => 'unclear' as const)) {
      case 'live':
        response.status(200).json({});
        return;
      case 'removed':
        response.status(410).json({});
        return;
      case 'unknown':
        refuseJunk(request, response);
        return;
      case 'unclear':
        response.set('retry-after', String(retryAfterSeconds)).status(503).json({});
    }
  }

  function refuseJunk(request: Request, response: Response): void {
    if (request.method === 'POST' || request.method === 'PUT') deps.counted('unknown token', 0);
    response.status(404).json({});
  }
}
