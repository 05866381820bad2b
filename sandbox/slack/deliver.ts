import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { parseJson } from './json.ts';
import { limits } from './limits.ts';
import { sign } from './sign.ts';
import type { State } from './state.ts';

const USER_AGENT = 'Slackbot 1.0 (+https://api.slack.com/robots)';
export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

/** What a test may spoil in a request that is otherwise signed as Slack signs. */
export interface Tampering {
  /** Seconds since the epoch, in place of now; the signature is made for it. */
  timestamp?: number | undefined;
  /** In place of the right one; null leaves the header away. */
  signature?: string | null | undefined;
  /** Sent in place of the body that was signed. */
  body?: string | undefined;
  contentType?: string | undefined;
  /** More headers, or others. */
  headers?: Record<string, string> | undefined;
}

export interface Outgoing {
  contentType: string;
  body: string;
  /** `x-slack-retry-num` and the like. */
  headers?: Record<string, string> | undefined;
  tamper?: Tampering | undefined;
}

export interface BotAnswer {
  /** 0 when there was no answer: see `failure`. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON, undefined where it is none. */
  json: unknown;
  /** `operation_timeout` after 3 seconds, `dispatch_failed` where nobody was there: Slack's words to the person. */
  failure: 'operation_timeout' | 'dispatch_failed' | undefined;
}

interface SenderDeps {
  state: State;
  /** Where the bot listens; asked for at every request. */
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
    // Exactly so: receivers compare the type with no parameters.
    'content-type': tamper.contentType ?? contentType,
    'content-length': String(Buffer.byteLength(sent)),
    // One connection a request, so that the bot's shutdown need not wait for idle ones of ours.
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
 * Makes the function that sends a request to the bot as Slack does: signed, with Slack's content types, waiting
 * three seconds for the answer. It never throws for the bot's sake; what went wrong is in `failure`.
 */
export function makeDeliver({ state, botRequestUrl, answerWithinMs = limits.answerWithinMs }: SenderDeps) {
  return async function deliver(outgoing: Outgoing): Promise<BotAnswer> {
    const url = botRequestUrl();
    if (url === undefined) throw new Error('The practice Slack does not know the bot: set botRequestUrl.');
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
