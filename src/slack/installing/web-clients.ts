import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { type FetchFunction, type Logger, LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Workspace } from '../../core/model/people.ts';
import { codeOf } from '../../lib/error-code.ts';
import type { Log } from '../../lib/log.ts';
import { http } from '../../lib/node-http.ts';
import { makeRemember } from '../../lib/records.ts';

/** The bot's name and token in a workspace. */
export type BotIdentity = {
  readonly botToken: string;
  /** The name that people type after `/invite`. */
  readonly botName: string;
  readonly workspaceName: string | null;
  /** The granted scopes; null if Slack did not say. */
  readonly scopes: readonly string[] | null;
};

/** A client that acts as the bot in a workspace. */
type BotClient = { readonly client: WebClient; readonly identity: BotIdentity };

/** Returns the bot's identity in a workspace; throws `NotInstalledError` if it is not installed there. */
export type IdentityOf = (workspace: Workspace) => Promise<BotIdentity>;

/** The bot is not installed in a workspace, or no longer is. */
export class NotInstalledError extends Error {
  override name = 'NotInstalledError';
}

/** The bot's token has expired and could not be refreshed now; nothing was sent to Slack with it. */
export class TokenUnavailableError extends Error {
  override name = 'TokenUnavailableError';
}

/** The timeout of a whole call, in milliseconds. */
const answerWithinMs = 10_000;
/** The most clients to keep; beyond that, the least recently used one is dropped. */
const clientsKept = 500;
/** How long a recent client is cached, and for how many workspaces. */
const remembered = { forMs: 10_000, most: 1_000 };

/**
 * Returns the options of every client. No retries: the queue retries, and a client that retried on its own would post twice after a lost
 * response. Never `headers`: the client writes the first workspace's token into them and uses it for all others (seen in 8.2.0).
 */
export function webClientOptions(options: { apiUrl: string; logger: Logger }): WebClientOptions {
  return {
    slackApiUrl: options.apiUrl,
    logger: options.logger,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: makeWebFetch({ withinMs: answerWithinMs }),
    allowAbsoluteUrls: false,
  };
}

/** Makes clients of Slack's Web API, one per token. `now`: milliseconds of a monotonic clock. */
export function makeWebClients(deps: {
  readonly options: WebClientOptions;
  readonly identityOf: IdentityOf;
  readonly now: () => number;
}) {
  const clients = new Map<string, WebClient>();
  const recent = makeRemember<BotClient>({ ...remembered, now: deps.now });

  function clientWith(token: string): WebClient {
    const client = clients.get(token) ?? new WebClient(token, deps.options);
    clients.delete(token);
    clients.set(token, client);
    const oldest = clients.keys().next().value;
    if (clients.size > clientsKept && oldest !== undefined) clients.delete(oldest);
    return client;
  }

  /** Returns a client that acts as the bot in a workspace. Throws `NotInstalledError` if the bot is not installed there. */
  async function clientOf(workspace: Workspace): Promise<BotClient> {
    const identity = await deps.identityOf(workspace);
    return { client: clientWith(identity.botToken), identity };
  }

  /**
   * The same for calls that are made for every message. Caches the bot's identity in a workspace, to avoid reading and unsealing it for
   * each call. `again` reads it now, in case Slack has refused the cached token.
   */
  function recentClientOf(workspace: Workspace, { again = false } = {}): Promise<BotClient> {
    return recent(`${workspace.enterpriseId} ${workspace.teamId}`, () => clientOf(workspace), { again });
  }

  return { clientOf, recentClientOf };
}

export type WebClients = ReturnType<typeof makeWebClients>;

/** Writes Bolt's messages to our log, but for debug lines: they have whole texts and, from the installer, codes and the client secret. */
export function makeBoltLogger(log: Log): Logger {
  const line = (args: unknown[]) => ({ slack: args.map(brief).join(' ') });
  return {
    debug() {},
    info: (...args) => log.info(line(args), 'slack'),
    warn: (...args) => log.warn(line(args), 'slack'),
    error: (...args) => log.error(line(args), 'slack'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

/** Returns a text up to what it quotes, which may come from outside: V8 quotes a body that is no JSON, and Bolt logs V8's message. */
function brief(argument: unknown): string {
  if (argument instanceof Error) return `${argument.name} ${codeOf(argument)}`;
  return typeof argument === 'string' ? (argument.split(/["'`{<]/, 1)[0] ?? '') : typeof argument;
}

/** The longest response to read, in bytes. A page of a thousand channels takes about 2 MB. */
const longestAnswer = 8 * 1_024 * 1_024;

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
function makeWebFetch({ withinMs }: { readonly withinMs: number }): FetchFunction {
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
      const giveUp = () => failed(coded('Slack did not answer in time', 'ETIMEDOUT'));
      const late = setTimeout(giveUp, withinMs);
      request.on('error', failed);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length <= longestAnswer) chunks.push(chunk);
          else failed(coded('the response from Slack is too long', 'ANSWER_TOO_LONG'));
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

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

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
