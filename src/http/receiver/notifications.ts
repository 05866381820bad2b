import { type Request, type Response, Router } from 'express';
import type { RateLimit } from '../../lib/rate-limit.ts';

/** A caller that was sent away tries again after so many seconds. */
const retryAfterSeconds = 5;

export type NotificationRoutesDeps = {
  readonly isOurToken: (token: string) => boolean;
  readonly hashToken: (token: string) => Buffer;
  /** What stands behind a token: for callers that only ask whether the address is there. */
  readonly stands: (tokenHash: Buffer) => Promise<'live' | 'removed' | 'unknown'>;
  /** Counts junk by address; live tokens are never counted. */
  readonly junk: RateLimit;
};

/**
 * The callback addresses for everything but notifications, which `makeTakeNotifications` answers: `GET` answers whether an
 * address is in use, and junk is refused without a query.
 */
export function notificationRoutes(deps: NotificationRoutesDeps): Router {
  const router = Router();
  const path = '/notifications/:token';

  router.all(path, (request, response, next) => {
    if (deps.isOurToken(request.params.token)) next();
    else refuseJunk(request, response);
  });
  router.get(path, probe);
  // Notifications whose token nobody knows come here from `makeTakeNotifications`.
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
    const limit = deps.junk.take(request.ip ?? '');
    if (!limit.allowed) response.set('retry-after', String(limit.retryInSeconds));
    response.status(limit.allowed ? 404 : 429).json({});
  }
}
