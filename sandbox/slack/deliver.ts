import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { parseJson } from './json.ts';
import { limits } from './limits.ts';
import { sign } from './sign.ts';
import type { State } from './state.ts';

const USER_AGENT = 'Slackbot 1.0 (+https://api.slack.com/robots)';
export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

/** What a test can change in a request that is otherwise signed as Slack signs it. */
export interface Tampering {
  /** Seconds since the epoch, instead of now; the signature matches it. */
  timestamp?: number | undefined;
  /** Replaces the correct signature; null omits the header. */
  signature?: string | null | undefined;
  /** Sent instead of the body that was signed. */
  body?: string | undefined;
  contentType?: string | undefined;
  /** Additional or overriding headers. */
  headers?: Record<string, string> | undefined;
}

export interface Outgoing {
  contentType: string;
  body: string;
  /** `x-slack-retry-num` and similar headers. */
  headers?: Record<string, string> | undefined;
  tamper?: Tampering | undefined;
}

export interface BotAnswer {
  /** 0 if there was no response: see `failure`. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON; undefined if it is not JSON. */
  json: unknown;
  /** Slack's words to the person: `operation_timeout` after 3 seconds, `dispatch_failed` if nothing answered. */
  failure: 'operation_timeout' | 'dispatch_failed' | undefined;
}

interface SenderDeps {
  state: State;
  /** Returns the bot's address; called for every request. */
  botRequestUrl: () => string | undefined;
  answerWithinMs?: number | undefined;
}

function headersOf(
  state: State,
  { contentType, body, headers, tamper = {} }: Outgoing,
): Record<string, string> {
  const timestamp = tamper.timestamp ?? Math.floor(state.now() / 1000);
  const right = sign({ signingSecret: state.app.signingSecret, timestamp, body });
  const signature = tamper.signature === undefined ? right : tamper.signature;
  const sent = tamper.body ?? body;
  return {
    'user-agent': USER_AGENT,
    accept: '*/*',
    // Without parameters: receivers compare the type exactly.
    'content-type': tamper.contentType ?? contentType,
    'content-length': String(Buffer.byteLength(sent)),
    // One connection per request, so that the bot's shutdown does not wait for our idle ones.
    connection: 'close',
    'x-slack-request-timestamp': String(timestamp),
    ...(signature !== null && { 'x-slack-signature': signature }),
    ...headers,
    ...tamper.headers,
  };
}

interface Posting {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

function post({ url, headers, body, signal }: Posting): Promise<BotAnswer> {
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = start(url, { method: 'POST', headers, signal, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const plainHeaders = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(plainHeaders),
          body: text,
          json: parseJson(text),
          failure: undefined,
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/**
 * Returns a function that sends a request to the bot as Slack does: signed, with Slack's content types, waiting three seconds for the
 * response. It never throws because of the bot; what went wrong is in `failure`.
 */
export function makeDeliver({ state, botRequestUrl, answerWithinMs = limits.answerWithinMs }: SenderDeps) {
  return async function deliver(outgoing: Outgoing): Promise<BotAnswer> {
    const url = botRequestUrl();
    if (url === undefined)
      throw new Error('The practice Slack does not know where the bot is: set botRequestUrl.');
    const tooLate = AbortSignal.timeout(answerWithinMs);
    const signal = AbortSignal.any([tooLate, state.closing.signal]);
    const body = outgoing.tamper?.body ?? outgoing.body;
    try {
      return await post({ url: new URL(url), headers: headersOf(state, outgoing), body, signal });
    } catch {
      const failure = tooLate.aborted ? 'operation_timeout' : 'dispatch_failed';
      return { status: 0, headers: {}, body: '', json: undefined, failure };
    }
  };
}

export type Deliver = ReturnType<typeof makeDeliver>;
