import { type IncomingMessage, request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import type { FetchFunction } from '@slack/web-api';
import { codeOf } from '../../lib/error-code.ts';

/** The longest answer that is read, in bytes: a page of a thousand channels takes about 2 MB. */
const longestAnswer = 8 * 1_024 * 1_024;

/** The whole call did not come to its end in time. */
class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
  readonly code = 'ETIMEDOUT';
}

/** More came back than Slack ever answers. */
class LongAnswerError extends Error {
  override readonly name = 'LongAnswerError';
  readonly code = 'ANSWER_TOO_LONG';
}

/** There was no connection, so that Slack cannot have received the call. `code` and `cause` are those of the failure itself. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly code: string;
  constructor(cause: Error) {
    super('No connection to Slack', { cause });
    this.code = codeOf(cause);
  }
}

/**
 * Makes what the Web API's client calls in place of `fetch`, of which it uses little: a call through Node's `http` takes a third of the
 * processor and half the memory (docs/measured.md). Connections are kept for the next call, as `fetch` does. A redirect is not followed,
 * and an answer is not asked to be compressed. Rejects with `NotSentError` where nothing was sent, else with the system's own error, or
 * where the call takes longer than `withinMs` or its answer is too long.
 */
export function makeWebFetch({ withinMs }: { readonly withinMs: number }): FetchFunction {
  return (address, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      // Only uploads of files are sent in another way, and the bot uploads none.
      if (body !== undefined && typeof body !== 'string') throw new TypeError('a form of text is expected');
      const url = new URL(address);
      const isSecure = url.protocol === 'https:';
      const bytes = Buffer.from(body ?? '');
      const options = { method, headers: { ...headers, 'Content-Length': bytes.length } };
      const request = isSecure ? requestOverHttps(url, options) : requestOverHttp(url, options);
      let mayBeSent = false;
      request.on('socket', (socket) => {
        const sending = () => {
          mayBeSent = true;
        };
        // A connection that is used again is there already.
        if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', sending);
        else sending();
      });
      const failed = (error: Error): void => {
        clearTimeout(late);
        // A request that ended before, such as by an answer 101, says nothing any more.
        request.destroy();
        reject(mayBeSent ? error : new NotSentError(error));
      };
      const late = setTimeout(() => failed(new CallTimeoutError('Slack did not answer in time')), withinMs);
      request.on('error', failed);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > longestAnswer) failed(new LongAnswerError('Slack answered too much'));
          else chunks.push(chunk);
        });
        response.on('error', failed);
        response.on('end', () => {
          clearTimeout(late);
          resolve(answerOf(url, response, Buffer.concat(chunks)));
        });
      });
      request.end(bytes);
    });
}

/** An answer as the client reads it. */
function answerOf(url: URL, { statusCode = 0, statusMessage = '', headers }: IncomingMessage, body: Buffer) {
  const text = async (): Promise<string> => body.toString('utf8');
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    statusText: statusMessage,
    url: url.href,
    headers: {
      get: (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null,
      entries: () =>
        Object.entries(headers).map(([name, value]): [string, string] => [name, value?.toString() ?? '']),
    },
    text,
    json: async (): Promise<unknown> => JSON.parse(await text()),
    arrayBuffer: async (): Promise<ArrayBuffer> => new Uint8Array(body).buffer,
  };
}
