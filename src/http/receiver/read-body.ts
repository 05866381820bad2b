import type { IncomingMessage } from 'node:http';
import { type Request, type Response, Router } from 'express';

/** The most bytes of unfinished bodies that one reader holds at once. */
const mostHeld = 16 * 1024 * 1024;

/** A body was refused; `status` says why. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly status: 400 | 413 | 415;
  constructor(status: 400 | 413 | 415) {
    super(`A body was refused (${status}).`);
    this.status = status;
  }
}

/**
 * Returns a function that reads a request's raw body. Compressed bodies are refused, so that none can expand in memory. When the unfinished
 * bodies exceed 16 MB together, the oldest is cut off: real ones arrive within milliseconds, so the oldest is one that is sent slowly. It
 * rejects with a `BodyError` if the body is compressed, longer than `most` bytes, or ends too early.
 */
export function makeReadBody(most: number): (request: IncomingMessage) => Promise<Buffer> {
  const lengths = new Map<IncomingMessage, number>();
  let held = 0;

  function release(request: IncomingMessage): void {
    held -= lengths.get(request) ?? 0;
    lengths.delete(request);
  }

  function cutOff(): void {
    for (const oldest of lengths.keys()) {
      if (held <= mostHeld) return;
      release(oldest);
      oldest.destroy();
    }
  }

  const read = (request: IncomingMessage): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const encoding = request.headers['content-encoding'] ?? 'identity';
      if (encoding.toLowerCase() !== 'identity') return reject(new BodyError(415));
      const announced = Number(request.headers['content-length']);
      const chunks: Buffer[] = [];
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        // It was cut off.
        if (request.destroyed) return;
        length += chunk.length;
        if (length > most) {
          request.pause();
          return reject(new BodyError(413));
        }
        chunks.push(chunk);
        // It is complete, as most are with their first chunk.
        if (length === announced) return;
        held += chunk.length;
        lengths.set(request, length);
        cutOff();
      });
      request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
      request.on('error', () => reject(new BodyError(400)));
      request.on('close', () => {
        if (!request.complete) reject(new BodyError(400));
      });
    });

  return async (request) => {
    try {
      return await read(request);
    } finally {
      release(request);
    }
  };
}

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
