import { type NextFunction, type Request, type Response, Router, raw } from 'express';
import type { Notification } from '../core/notification.ts';
import type { RateLimit } from '../core/rate-limit.ts';
import type { Arrival, Receiver, Reception, Trust } from '../core/receive.ts';

/** How far a body may go: what is sent here is a few hundred bytes. */
const mostBytes = 256 * 1024;
/** Of a body that was refused for its length, so much is let run by before the connection is cut. */
const mostRunBy = 4 * 1024 * 1024;
/** A caller that was sent away tries again after so many seconds. */
const retryAfterSeconds = 5;
/** An answer takes no longer than this, whatever the database does. */
const answerWithinMs = 2_500;

export type NotificationRoutesDeps = {
  readonly isOurToken: (token: string) => boolean;
  readonly hashToken: (token: string) => Buffer;
  readonly receive: (arrival: Arrival) => Promise<Reception>;
  /** What stands behind a token: for callers that only ask whether the address is there. */
  readonly stands: (tokenHash: Buffer) => Promise<'live' | 'removed' | 'unknown'>;
  readonly parse: (json: unknown) => { notifications: readonly Notification[]; rejected: number };
  readonly tooDeep: (json: unknown) => boolean;
  readonly isTrusted: (
    request: { headers: Request['headers']; rawBody: Buffer; notifications: readonly Notification[] },
    subscription: Receiver,
  ) => Promise<Trust>;
  /** Counts junk by address; live tokens are never counted. */
  readonly junk: RateLimit;
  readonly log: { readonly warn: (fields: Record<string, unknown>, message: string) => void };
  readonly counted: (result: string, seconds: number) => void;
};

const statusOf: Readonly<Record<Reception, number>> = {
  stored: 200,
  'unknown token': 404,
  removed: 410,
  'other subscription': 404,
  'not a notification': 400,
  'wrong signature': 401,
  busy: 503,
};

/**
 * The callback addresses that the service calls. 200 is answered once what was sent is committed, and never before. How the service
 * calls them is not documented, so `POST` and `PUT` are taken with any content type, and `GET` answers whether the address stands.
 */
export function notificationRoutes(deps: NotificationRoutesDeps): Router {
  const router = Router();
  const path = '/notifications/:token';

  router.all(path, (request, response, next) => {
    if (deps.isOurToken(request.params.token)) next();
    else refuseJunk(request, response);
  });
  router.use(path, (request, response, next) => {
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) refuseLength(request, response);
    else next();
  });
  // Nothing is inflated: a compressed body is refused with 415, and so cannot grow here.
  router.post(path, raw({ type: () => true, limit: mostBytes, inflate: false }), take);
  router.put(path, raw({ type: () => true, limit: mostBytes, inflate: false }), take);
  router.get(path, probe);
  router.all(path, (_request, response) => {
    response.set('allow', 'GET, HEAD, POST, PUT').status(405).json({});
  });
  router.use('/notifications', refuseBody);
  return router;

  async function take(request: Request<{ token: string }>, response: Response): Promise<void> {
    const started = performance.now();
    const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
    const json = parseJson(body);
    const reception = json.ok ? await receiveWithin(request, body, json.value) : 'not a notification';
    answer(request, response, reception);
    deps.counted(reception, (performance.now() - started) / 1_000);
  }

  async function receiveWithin(
    request: Request<{ token: string }>,
    body: Buffer,
    json: unknown,
  ): Promise<Reception> {
    if (deps.tooDeep(json)) return 'not a notification';
    const { notifications } = deps.parse(json);
    if (notifications.length === 0 && !isEmptyList(json)) return 'not a notification';
    const arrival: Arrival = {
      tokenHash: deps.hashToken(request.params.token),
      notifications,
      bytes: body.length,
      trusted: (subscription) =>
        deps.isTrusted({ headers: request.headers, rawBody: body, notifications }, subscription),
    };
    try {
      return await within(answerWithinMs, deps.receive(arrival));
    } catch (error) {
      deps.log.warn({ err: error }, 'a notification could not be stored; its sender was asked to try again');
      return 'busy';
    }
  }

  function answer(request: Request, response: Response, reception: Reception): void {
    if (reception === 'unknown token') {
      refuseJunk(request, response);
      return;
    }
    if (reception === 'busy') response.set('retry-after', String(retryAfterSeconds));
    response.status(statusOf[reception]).json({});
  }

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
        answer(request, response, 'busy');
    }
  }

  /** Answers before the body has come; what is sent all the same is let run by for a while, so that its sender gets to read this. */
  function refuseLength(request: Request, response: Response): void {
    deps.counted('refused', 0);
    let ran = 0;
    request.on('data', (chunk: Buffer) => {
      ran += chunk.length;
      if (ran > mostRunBy) request.destroy();
    });
    response.status(413).json({});
  }

  function refuseJunk(request: Request, response: Response): void {
    const limit = deps.junk.take(request.ip ?? '');
    if (!limit.allowed) response.set('retry-after', String(limit.retryInSeconds));
    response.status(limit.allowed ? 404 : 429).json({});
  }

  /** What express's own reader of bodies found wrong: too large, compressed, cut short. */
  function refuseBody(error: unknown, _request: Request, response: Response, next: NextFunction): void {
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    if (status !== 413 && status !== 415 && status !== 400) {
      next(error);
      return;
    }
    deps.counted('refused', 0);
    // What is still being sent is not read; without this the connection would wait for it.
    response.set('connection', 'close').status(status).json({});
  }
}

function parseJson(body: Buffer): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return { ok: false };
  }
}

function isEmptyList(json: unknown): boolean {
  return Array.isArray(json) && json.length === 0;
}

/** Rejects where a promise has not settled in time. */
function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
