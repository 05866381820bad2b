import { type Request, type Response, Router } from 'express';
import { BodyError, readBody } from './receiver/read-body.ts';

/** The longest body, in bytes. Even Slack's largest requests, forms with many fields, stay far below. */
const mostBytes = 1024 * 1024;
/** The most bytes of unfinished bodies to hold at once. Anyone can send one, and its signature can only be checked at its end. */
const mostHeld = 16 * mostBytes;

/**
 * Reads the bodies of Slack's requests before Bolt does, at most one megabyte each. Bolt's reader has the same limit, but leaves the
 * connection open with the rest unread until it times out, and does not refuse compressed bodies (seen in 5.1.0). Mount it before Bolt's
 * receiver, which uses `rawBody`.
 */
export function readSlackBodies(): Router {
  const router = Router();
  const held = makeHeldBodies();
  router.post('/slack/events', async (request, response, next) => {
    if (Number(request.get('content-length') ?? 0) > mostBytes) return refuse(request, response, 413);
    const release = held.hold(request);
    try {
      Object.assign(request, { rawBody: await readBody(request, mostBytes) });
    } catch (error) {
      return refuse(request, response, error instanceof BodyError ? error.status : 400);
    } finally {
      release();
    }
    next();
  });
  return router;
}

/**
 * Tracks the bodies being received. When they exceed `mostHeld` together, the oldest is cut off: Slack's bodies arrive within
 * milliseconds, so the oldest is one that is sent slowly.
 */
function makeHeldBodies() {
  const lengths = new Map<Request, number>();
  let bytes = 0;

  function release(request: Request): void {
    bytes -= lengths.get(request) ?? 0;
    lengths.delete(request);
  }

  return {
    /** Counts a request's body from now on, until the returned function is called. */
    hold(request: Request): () => void {
      lengths.set(request, 0);
      request.on('data', (chunk: Buffer) => {
        const length = lengths.get(request);
        if (length === undefined) return;
        lengths.set(request, length + chunk.length);
        bytes += chunk.length;
        for (const oldest of lengths.keys()) {
          if (bytes <= mostHeld) break;
          release(oldest);
          oldest.destroy();
        }
      });
      return () => release(request);
    },
  };
}

/** Answers and closes the connection. Without `connection: close` the server would read the rest of the body to keep it open. */
function refuse(request: Request, response: Response, status: number): void {
  request.pause();
  response.set('connection', 'close').status(status).end();
}
