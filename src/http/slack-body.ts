import { type Request, type Response, Router } from 'express';
import { BodyError, makeReadBody } from './receiver/read-body.ts';

/** The longest body, in bytes. Even Slack's largest requests, forms with many fields, stay far below. */
const mostBytes = 1024 * 1024;

/**
 * Reads the bodies of Slack's requests before Bolt does, at most one megabyte each. Bolt's reader has the same limit, but leaves the
 * connection open with the rest unread until it times out, and does not refuse compressed bodies (seen in 5.1.0). Mount it before Bolt's
 * receiver, which uses `rawBody`.
 */
export function readSlackBodies(): Router {
  const router = Router();
  const readBody = makeReadBody(mostBytes);
  router.post('/slack/events', async (request, response, next) => {
    if (Number(request.get('content-length') ?? 0) > mostBytes) return refuse(request, response, 413);
    try {
      Object.assign(request, { rawBody: await readBody(request) });
    } catch (error) {
      return refuse(request, response, error instanceof BodyError ? error.status : 400);
    }
    next();
  });
  return router;
}

/** Answers and closes the connection. Without `connection: close` the server would read the rest of the body to keep it open. */
function refuse(request: Request, response: Response, status: number): void {
  request.pause();
  response.set('connection', 'close').status(status).end();
}
