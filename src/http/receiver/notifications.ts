import { type Request, type Response, Router } from 'express';

/** The `Retry-After` of a 503, in seconds. */
const retryAfterSeconds = 5;

type NotificationRoutesDeps = {
  readonly isOurToken: (token: string) => boolean;
  readonly hashToken: (token: string) => Buffer;
  /** Returns the state of a token, for callers that only check whether the URL works. */
  readonly stands: (tokenHash: Buffer) => Promise<'live' | 'removed' | 'unknown'>;
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
    if (deps.isOurToken(request.params.token)) next();
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
    const stands = await deps.stands(deps.hashToken(request.params.token)).catch(() => 'unclear' as const);
    switch (stands) {
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
