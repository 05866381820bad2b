import { type IncomingMessage, request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import type { FetchFunction } from '@slack/web-api';

/** The whole call did not come to its end in time. `code` says whether anything can have been sent. */
class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
  readonly code: 'ETIMEDOUT' | 'CONNECT_TIMEOUT';
  constructor(isConnected: boolean) {
    super('Slack did not answer in time');
    this.code = isConnected ? 'ETIMEDOUT' : 'CONNECT_TIMEOUT';
  }
}

/**
 * Makes what the Web API's client calls in place of `fetch`, of which it uses little: a call through Node's `http` takes a third of the
 * processor and half the memory (docs/measured.md). Connections are kept for the next call, as `fetch` does. A redirect is not followed,
 * and an answer is not asked to be compressed. Rejects with the system's own error, or where the call takes longer than `withinMs`.
 */
export function makeWebFetch({ withinMs }: { readonly withinMs: number }): FetchFunction {
  return (address, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      // Only uploads of files are sent in another way, and the bot uploads none.
      if (body !== undefined && typeof body !== 'string') throw new TypeError('a form of text is expected');
      const url = new URL(address);
      const send = url.protocol === 'https:' ? requestOverHttps : requestOverHttp;
      const bytes = Buffer.from(body ?? '');
      const request = send(url, { method, headers: { ...headers, 'Content-Length': bytes.length } });
      const late = setTimeout(() => {
        const timeout = new CallTimeoutError(request.socket?.connecting === false);
        request.destroy(timeout);
        // A request that ended before, such as by an answer 101, says nothing any more.
        reject(timeout);
      }, withinMs);
      const failed = (error: Error): void => {
        clearTimeout(late);
        reject(error);
      };
      request.on('error', failed);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
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
