import { type Logger, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Workspace } from '../../core/model/people.ts';
import { makeRemember } from '../../lib/records.ts';
import { makeWebFetch } from './web-fetch.ts';

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

/**
 * Makes clients of Slack's Web API, one per token.
 * @param deps `now`: milliseconds of a monotonic clock
 */
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
