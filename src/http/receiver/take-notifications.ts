import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bot } from '../../core/bot.ts';
import { subscriptionFields } from '../../core/model/log-fields.ts';
import type { Notification } from '../../core/model/notification.ts';
import { judgeSignature, learnRule } from '../../core/receiving/judge-signature.ts';
import type { SignatureSetting, SignedRequest } from '../../core/receiving/key-signatures.ts';
import { type Arrival, type Reception, stateOfToken } from '../../core/receiving/receive.ts';
import { inParts } from '../../lib/in-slices.ts';
import { BodyError, makeReadBody } from './read-body.ts';

/** The longest body, in bytes. A notification is a few hundred bytes. */
const mostBytes = 256 * 1024;
/** The most notifications in one body. */
const mostEntries = 1_000;
/** Between two checks of a signature in `observe` mode, in ms: each takes two statements, and a few show the rule for all. */
const betweenChecksMs = 200;
/** How much of a refused body to read and discard, in bytes, before cutting the connection. */
const mostDiscarded = 4 * 1024 * 1024;
/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;
/** When to come back after a 503, in seconds. */
const retryLater = ['retry-after', '5'];
/** A callback URL's path; a proxy may send the absolute form, with scheme and host (RFC 9112, 3.2.2). */
const address = /^(?:https?:\/\/[^/?#]*)?\/notifications\/([^/?#]+)\/?(?:[?#].*)?$/i;
const answerBody = '{}';

type Receiving = {
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

const statusOf: Readonly<Record<Reception['kind'], number>> = {
  stored: 200,
  'unknown token': 404,
  removed: 410,
  'other subscription': 404,
  'not a notification': 400,
  'wrong signature': 401,
  busy: 503,
};

/** How a token's state is answered to a caller that sends nothing. */
const probed = { live: 200, removed: 410, unknown: 404, unclear: 503 } as const;

/**
 * Makes the handler of requests to callback URLs. It answers a notification with 200 only after it is committed. How the service calls these
 * URLs is not documented, so `POST` and `PUT` are accepted with any content type; `GET` says whether a URL is in use. Junk tokens are refused
 * without a query. This path must handle a thousand notifications a second, so it bypasses Express.
 */
export function makeTakeNotifications(
  bot: Pick<Bot, 'clock' | 'db' | 'sealing' | 'tokens' | 'log'>,
  { signature, receive, parse, headers, counted }: Receiving,
): RequestTaker {
  const { tokens, log } = bot;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const readBody = makeReadBody(mostBytes);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // Headers of every response, in the form that Node writes: names and values alternating.
  const usualHeaders = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(answerBody.length),
  }).flat();

  return (request, response, pass) => {
    const token = address.exec(request.url ?? '')?.[1];
    if (token === undefined) return pass();
    const { method } = request;
    const isSent = method === 'POST' || method === 'PUT';
    if (!tokens.isOurs(token)) {
      if (isSent) counted('unknown token', 0);
      answer(response, 404);
    } else if (isSent) void take(token, request, response);
    else if (method === 'GET' || method === 'HEAD') void probe(token, response);
    else answer(response, 405, ['allow', 'GET, HEAD, POST, PUT']);
  };

  async function probe(token: string, response: ServerResponse): Promise<void> {
    const status = probed[await stateOfToken(bot, tokens.hash(token)).catch(() => 'unclear' as const)];
    answer(response, status, status === 503 ? retryLater : null);
  }

  async function take(token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    // Null if it is no list.
    const entries = Array.isArray(json) ? json.length : null;
    if (entries !== null && entries > mostEntries) {
      counted('refused', 0);
      return answer(response, 413);
    }
    const { reception, notifications } = await receptionOf(token, request, { rawBody: body, json });
    counted(reception.kind, (performance.now() - started) / 1_000);
    answer(response, statusOf[reception.kind], reception.kind === 'busy' ? retryLater : null);
    logTaken(notifications, reception, statusOf[reception.kind]);
    if (reception.kind !== 'stored') return;
    noteSkipped((entries ?? notifications.length) - notifications.length, reception);
    await learn({ headers: request.headers, rawBody: body }, tokens.hash(token));
  }

  /** Learns the signature rule in `observe` mode. */
  async function learn(request: SignedRequest, tokenHash: Buffer): Promise<void> {
    const now = performance.now();
    if (signature.mode !== 'observe' || now - checkedAt < betweenChecksMs) return;
    checkedAt = now;
    await learnRule(bot, request, tokenHash);
  }

  async function receptionOf(
    token: string,
    request: IncomingMessage,
    { rawBody, json }: { rawBody: Buffer; json: unknown },
  ) {
    const notifications = parse(json);
    const received = (reception: Reception) => ({ reception, notifications });
    const isEmptyList = Array.isArray(json) && json.length === 0;
    if (notifications.length === 0 && !isEmptyList) {
      return received(await refusalOf(token, rawBody));
    }
    const signed = { headers: request.headers, rawBody };
    const arrival: Arrival = {
      tokenHash: tokens.hash(token),
      notifications,
      bytes: rawBody.length,
      refuse: signature.mode === 'enforce' ? (found) => judgeSignature(bot, signature, signed, found) : null,
    };
    try {
      return received(await receive(arrival));
    } catch (error) {
      log.warn({ err: error }, 'a notification could not be stored; its sender was asked to try again');
      return received({ kind: 'busy' });
    }
  }

  /** Logs what the service sent and how it was answered, so a notification can be traced by its id. */
  function logTaken(notifications: readonly Notification[], reception: Reception, status: number): void {
    if (!log.isLevelEnabled('debug')) return;
    const of = reception.kind === 'stored' ? subscriptionFields(reception.subscription) : {};
    for (const ids of inParts(notifications, idsALine)) {
      const named = ids.map(({ id }) => id).join(' ');
      log.debug({ notifications: named, ...of, result: reception.kind, status }, 'notification');
    }
  }

  /** Counts and logs the entries of an accepted list that are not stored; they have no row by which an operator could find them. */
  function noteSkipped(junk: number, { subscription, others }: Extract<Reception, { kind: 'stored' }>): void {
    for (let entry = 0; entry < junk; entry += 1) counted('not a notification', 0);
    for (let entry = 0; entry < others; entry += 1) counted('other subscription', 0);
    const skipped = junk + others;
    if (skipped > 0)
      log.warn(
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
      refuse: null,
    };
    const reception = await receive(nothing).catch(() => null);
    const isGone = reception?.kind === 'removed' || reception?.kind === 'unknown token';
    return isGone ? reception : { kind: 'not a notification' };
  }

  /** Returns undefined for what is no JSON in UTF-8. */
  function parseJson(body: Buffer): unknown {
    try {
      return JSON.parse(decoder.decode(body));
    } catch {
      return undefined;
    }
  }

  /** Answers with a status. `more`: additional headers, names and values alternating. */
  function answer(response: ServerResponse, status: number, more: readonly string[] | null = null): void {
    response.writeHead(status, more === null ? usualHeaders : [...usualHeaders, ...more]).end(answerBody);
  }

  /** Answers before the body has arrived. Discards what is still sent, up to a limit, so that the sender gets to read the answer. */
  function refuseLength(request: IncomingMessage, response: ServerResponse, length: number): void {
    counted('refused', 0);
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
    counted('refused', 0);
    // The rest of the body is not read; without this header the connection would wait for it.
    answer(response, error instanceof BodyError ? error.status : 400, ['connection', 'close']);
  }
}
