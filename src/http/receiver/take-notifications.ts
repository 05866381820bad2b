import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Request, type Response, Router } from 'express';
import type { Bot } from '../../core/bot.ts';
import { subscriptionFields } from '../../core/model/log-fields.ts';
import type { Notification } from '../../core/model/notification.ts';
import { judgeSignature, learnRule } from '../../core/receiving/judge-signature.ts';
import type { SignatureSetting, SignedRequest } from '../../core/receiving/key-signatures.ts';
import { type Arrival, type Reception, stateOfToken } from '../../core/receiving/receive.ts';
import { inParts, inSlices } from '../../lib/in-slices.ts';
import { BodyError, makeReadBody } from './read-body.ts';

/** The longest body, in bytes. A notification is a few hundred bytes. */
const mostBytes = 256 * 1024;
/** The most notifications in one body. */
const mostEntries = 1_000;
/**
 * The least time between two checks of a signature in `observe` mode, in milliseconds: each takes two statements, and a few notifications
 * show the rule for all.
 */
const betweenChecksMs = 200;
/** How much of a refused body to read and discard, in bytes, before cutting the connection. */
const mostDiscarded = 4 * 1024 * 1024;
/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;
/** The `Retry-After` of a 503, in seconds. */
const retryAfterSeconds = 5;
/** A callback URL's path; a proxy may send the absolute form, with scheme and host (RFC 9112, 3.2.2). */
const address = /^(?:https?:\/\/[^/?#]*)?\/notifications\/([A-Za-z0-9_-]+)\/?(?:\?.*)?$/i;
const answerBody = '{}';

type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

type TakeNotificationsDeps = Pick<Bot, 'clock' | 'db' | 'sealing' | 'tokens' | 'log'> & {
  readonly signature: SignatureSetting;
  /** Settles within a few seconds, whatever the database does. */
  readonly receive: (arrival: Arrival) => Promise<Reception>;
  readonly parse: (json: unknown) => readonly Notification[];
  /** The headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly counted: (result: string, seconds: number) => void;
};

/** Answers a request, or passes it on to the other routes. */
export type RequestTaker = (request: IncomingMessage, response: ServerResponse, pass: () => void) => void;

const statusOf: Readonly<Record<Exclude<Reception['kind'], 'unknown token'>, number>> = {
  stored: 200,
  removed: 410,
  'other subscription': 404,
  'not a notification': 400,
  'wrong signature': 401,
  busy: 503,
};

/**
 * Makes the handler of notifications to callback URLs. It answers 200 only after the notifications are committed. How the service calls
 * these URLs is not documented, so `POST` and `PUT` are accepted with any content type. `notificationRoutes` answers all other requests
 * to them. This path must handle a thousand notifications a second, so it bypasses Express.
 */
export function makeTakeNotifications(deps: TakeNotificationsDeps): RequestTaker {
  const { tokens, signature } = deps;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const readBody = makeReadBody(mostBytes);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // Headers of every response, in the form that Node writes: names and values alternating.
  const usualHeaders = Object.entries({
    ...deps.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(answerBody.length),
  }).flat();

  return (request, response, pass) => {
    const token = request.method === 'POST' || request.method === 'PUT' ? tokenIn(request.url) : null;
    if (token === null || !tokens.isOurs(token)) return pass();
    void take(token, request, response, pass);
  };

  async function take(
    token: string,
    request: IncomingMessage,
    response: ServerResponse,
    pass: () => void,
  ): Promise<void> {
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > mostBytes) return refuseLength(request, response, length);
    let body: Buffer;
    try {
      body = await readBody(request);
    } catch (error) {
      return refuseBody(response, error);
    }
    const started = performance.now();
    const json = parseJson(body);
    if (json.ok && isTooLong(json.value)) {
      deps.counted('refused', 0);
      return answer(response, 413);
    }
    const { reception, notifications } = await receptionOf(token, request, { rawBody: body, json });
    // The route that refuses junk counts these too.
    if (reception.kind === 'unknown token') return pass();
    deps.counted(reception.kind, (performance.now() - started) / 1_000);
    const retry = reception.kind === 'busy' ? ['retry-after', String(retryAfterSeconds)] : null;
    answer(response, statusOf[reception.kind], retry);
    logTaken(notifications, reception, statusOf[reception.kind]);
    if (reception.kind !== 'stored') return;
    noteSkipped(json, notifications, reception);
    await learn({ headers: request.headers, rawBody: body }, tokens.hash(token));
  }

  /** Learns the signature rule in `observe` mode. */
  async function learn(request: SignedRequest, tokenHash: Buffer): Promise<void> {
    const now = performance.now();
    if (signature.mode !== 'observe' || now - checkedAt < betweenChecksMs) return;
    checkedAt = now;
    await learnRule(deps, request, tokenHash);
  }

  async function receptionOf(
    token: string,
    request: IncomingMessage,
    { rawBody, json }: { rawBody: Buffer; json: ParsedJson },
  ) {
    const notifications = json.ok ? await read(json.value) : [];
    const received = (reception: Reception) => ({ reception, notifications });
    if (!json.ok || (notifications.length === 0 && !isEmptyList(json.value))) {
      return received(await refusalOf(token, rawBody));
    }
    const signed = { headers: request.headers, rawBody };
    const arrival: Arrival = {
      tokenHash: tokens.hash(token),
      notifications,
      bytes: rawBody.length,
      trusted:
        signature.mode === 'enforce' ? (found) => judgeSignature(deps, signature, signed, found) : null,
    };
    try {
      return received(await deps.receive(arrival));
    } catch (error) {
      deps.log.warn({ err: error }, 'a notification could not be stored; its sender was asked to try again');
      return received({ kind: 'busy' });
    }
  }

  /** Logs what the service sent and how it was answered, so a notification can be traced by its id. */
  function logTaken(notifications: readonly Notification[], reception: Reception, status: number): void {
    if (!deps.log.isLevelEnabled('debug')) return;
    const of = reception.kind === 'stored' ? subscriptionFields(reception.subscription) : {};
    for (const ids of inParts(notifications, idsALine)) {
      const named = ids.map(({ id }) => id).join(' ');
      deps.log.debug({ notifications: named, ...of, result: reception.kind, status }, 'notification');
    }
  }

  /** Counts and logs the entries of an accepted list that are not stored; they have no row by which an operator could find them. */
  function noteSkipped(
    json: ParsedJson,
    { length }: readonly Notification[],
    { subscription, others }: Extract<Reception, { kind: 'stored' }>,
  ): void {
    const junk = json.ok && Array.isArray(json.value) ? json.value.length - length : 0;
    for (let entry = 0; entry < junk; entry += 1) deps.counted('not a notification', 0);
    for (let entry = 0; entry < others; entry += 1) deps.counted('other subscription', 0);
    const skipped = junk + others;
    if (skipped > 0)
      deps.log.warn(
        { ...subscriptionFields(subscription), skipped },
        'entries of a list are no notifications of this subscription',
      );
  }

  /** Refuses a body without a notification. A callback that is removed or unknown answers that it is, whatever was sent. */
  async function refusalOf(token: string, rawBody: Buffer): Promise<Reception> {
    const nothing = {
      tokenHash: tokens.hash(token),
      notifications: [],
      bytes: rawBody.length,
      trusted: null,
    };
    const reception = await deps.receive(nothing).catch(() => null);
    const isGone = reception?.kind === 'removed' || reception?.kind === 'unknown token';
    return isGone ? reception : { kind: 'not a notification' };
  }

  /** Parses a list in slices, so that a long one does not block other requests. */
  async function read(json: unknown): Promise<readonly Notification[]> {
    if (!Array.isArray(json)) return deps.parse(json);
    const notifications: Notification[] = [];
    await inSlices(json, (entry) => notifications.push(...deps.parse([entry])));
    return notifications;
  }

  function parseJson(body: Buffer): ParsedJson {
    try {
      return { ok: true, value: JSON.parse(decoder.decode(body)) };
    } catch {
      return { ok: false };
    }
  }

  /** Answers with a status. `more`: additional headers, names and values alternating. */
  function answer(response: ServerResponse, status: number, more: readonly string[] | null = null): void {
    response.writeHead(status, more === null ? usualHeaders : [...usualHeaders, ...more]).end(answerBody);
  }

  /** Answers before the body has arrived. Discards what is still sent, up to a limit, so that the sender gets to read the answer. */
  function refuseLength(request: IncomingMessage, response: ServerResponse, length: number): void {
    deps.counted('refused', 0);
    let discarded = 0;
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > mostDiscarded) request.destroy();
    });
    if (length <= mostDiscarded) answer(response, 413);
    // Not ended, because that would close the connection before the sender has read the answer.
    else response.writeHead(413, [...usualHeaders, 'connection', 'close']).write(answerBody);
  }

  function refuseBody(response: ServerResponse, error: unknown): void {
    deps.counted('refused', 0);
    // The rest of the body is not read; without this header the connection would wait for it.
    answer(response, error instanceof BodyError ? error.status : 400, ['connection', 'close']);
  }
}

function tokenIn(url = ''): string | null {
  return address.exec(url)?.[1] ?? null;
}

function isTooLong(json: unknown): boolean {
  return Array.isArray(json) && json.length > mostEntries;
}

function isEmptyList(json: unknown): boolean {
  return Array.isArray(json) && json.length === 0;
}

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
