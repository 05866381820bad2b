import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { FetchFunction } from '@slack/web-api';
import { codeOf } from '../../lib/error-code.ts';
import { http } from '../../lib/node-http.ts';

/** The longest response to read, in bytes. A page of a thousand channels takes about 2 MB. */
const longestAnswer = 8 * 1_024 * 1_024;

/** The whole call did not finish in time. */
class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
  readonly code = 'ETIMEDOUT';
}

/** The response is longer than any that Slack sends. */
class LongAnswerError extends Error {
  override readonly name = 'LongAnswerError';
  readonly code = 'ANSWER_TOO_LONG';
}

/** There was no connection, so Slack cannot have received the call. `code` and `cause` are those of the underlying failure. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly code: string;
  constructor(cause: Error) {
    super('No connection to Slack', { cause });
    this.code = codeOf(cause);
  }
}

/**
 * Makes the function that the Web API's client calls instead of `fetch`, of which it uses little. A call through Node's `http` takes a third
 * of the CPU time and half the memory (docs/measured.md). Like `fetch`, it reuses connections. It does not follow redirects or ask for
 * compression. Rejects with `NotSentError` if nothing was sent; otherwise with the system's error, or if the call takes longer than
 * `withinMs` or the response is too long.
 */
export function makeWebFetch({ withinMs }: { readonly withinMs: number }): FetchFunction {
  return (address, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      // The client sends other bodies only to upload files, and the bot uploads none.
      if (body !== undefined && typeof body !== 'string') throw new TypeError('expected a form-encoded body');
      const url = new URL(address);
      const isSecure = url.protocol === 'https:';
      const text = body ?? '';
      const options = { method, headers: { ...headers, 'Content-Length': Buffer.byteLength(text) } };
      const request = isSecure ? https.request(url, options) : http.request(url, options);
      let mayBeSent = false;
      request.on('socket', (socket) => {
        const sending = () => {
          mayBeSent = true;
        };
        // A reused connection is already open.
        if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', sending);
        else sending();
      });
      const failed = (error: Error): void => {
        clearTimeout(late);
        // A request that has already ended, such as by a 101 response, emits nothing more.
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
          if (length > longestAnswer) failed(new LongAnswerError('the response from Slack is too long'));
          else chunks.push(chunk);
        });
        response.on('error', failed);
        response.on('end', () => {
          clearTimeout(late);
          resolve(answerOf(url, response, Buffer.concat(chunks)));
        });
      });
      // Node sends a text together with the headers, and bytes after them.
      request.end(text);
    });
}

/** Returns a response in the form that the client reads. */
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
