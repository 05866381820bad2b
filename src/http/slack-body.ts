import { type Request, type Response, Router } from 'express';
import { BodyError, readBody } from './receiver/read-body.ts';

/** Slack's largest requests are a few kilobytes; a form with all its fields stays far below. */
const mostBytes = 1024 * 1024;

/**
 * Reads the bodies of Slack's requests before Bolt does, at most one megabyte of each. Bolt's reader stops there too, but leaves the
 * connection open with the rest unread until it times out, and says nothing of compressed bodies (seen in 5.1.0). To be mounted before
 * Bolt's receiver, which takes `rawBody`.
 */
export function readSlackBodies(): Router {
  const router = Router();
  router.post('/slack/events', async (request, response, next) => {
    if (Number(request.get('content-length') ?? 0) > mostBytes) return refuse(request, response, 413);
    try {
      Object.assign(request, { rawBody: await readBody(request, mostBytes) });
    } catch (error) {
      return refuse(request, response, error instanceof BodyError ? error.status : 400);
    }
    next();
  });
  return router;
}

/** Answers and closes. Without `connection: close` the server would read the rest of the body to keep the connection. */
function refuse(request: Request, response: Response, status: number): void {
  request.pause();
  response.set('connection', 'close').status(status).end();
}
