import { Router } from 'express';

/**
 * `/healthz`: 200 while the event loop runs. It never asks the database, because a database outage must not make the platform restart every
 * process. `/readyz`: 200 while the process can serve. Neither reveals more.
 */
export function healthRoutes({ isReady }: { readonly isReady: () => Promise<boolean> }): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  router.get('/readyz', async (_request, response) => {
    const ready = await isReady().catch(() => false);
    response
      .status(ready ? 200 : 503)
      .type('text/plain')
      .send(ready ? 'ready\n' : 'not ready\n');
  });
  return router;
}
