import type { Logger } from '@slack/web-api';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Workspace } from '../../core/model/people.ts';
import { makeRemember } from '../../lib/remember.ts';
import { makeWebFetch } from './web-fetch.ts';

/** Who the bot is in a workspace, and the token it acts with. */
export type BotIdentity = {
  readonly botToken: string;
  readonly botUserId: string | null;
  /** As people type it in `/invite`. */
  readonly botName: string;
  readonly workspaceName: string | null;
  /** What was granted; null where Slack did not say. */
  readonly scopes: readonly string[] | null;
};

/** The bot's identity in a workspace; throws if it is not installed there. */
export type IdentityOf = (workspace: Workspace) => Promise<BotIdentity>;

/** The bot is not, or no longer, installed in a workspace. */
export class NotInstalledError extends Error {
  override name = 'NotInstalledError';
}

/** The bot's token is over and could not be refreshed now; nothing was sent to Slack with it. */
export class TokenUnavailableError extends Error {
  override name = 'TokenUnavailableError';
}

/** A call takes no longer than this, in milliseconds. */
const answerWithinMs = 10_000;
/** Clients kept at once. One more pushes out the one that was used longest ago. */
const clientsKept = 500;

/**
 * Options of every client. No retries: the queue tries again, and a client that did so by itself would post twice after a lost
 * answer. Never `headers`: the client writes the first workspace's token into them and uses it for all others (seen in 8.2.0).
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

/** Clients of Slack's Web API, one a token. */
export function makeWebClients(deps: { options: WebClientOptions; identityOf: IdentityOf }) {
  const clients = new Map<string, WebClient>();

  function clientOf(token: string): WebClient {
    const client = clients.get(token) ?? new WebClient(token, deps.options);
    clients.delete(token);
    clients.set(token, client);
    const oldest = clients.keys().next().value;
    if (clients.size > clientsKept && oldest !== undefined) clients.delete(oldest);
    return client;
  }

  /** A client that acts as the bot in a workspace. Throws `NotInstalledError` if it is not installed. */
  return async (workspace: Workspace): Promise<{ client: WebClient; identity: BotIdentity }> => {
    const identity = await deps.identityOf(workspace);
    return { client: clientOf(identity.botToken), identity };
  };
}

export type WebClients = ReturnType<typeof makeWebClients>;

/** How long an identity is remembered, and of how many workspaces. */
const remembered = { forMs: 10_000, most: 1_000 };

/**
 * Clients for what is called for each message: who the bot is in a workspace is read from the database, and unsealed, once in a while
 * instead of each time. `again` reads it now, for when Slack has refused the token that is remembered.
 * @param deps `now`: milliseconds of a clock that never jumps
 */
export function makeRecentClients(deps: { clients: WebClients; now: () => number }) {
  const recent = makeRemember<Awaited<ReturnType<WebClients>>>({ ...remembered, now: deps.now });
  return (workspace: Workspace, { again = false } = {}): ReturnType<WebClients> =>
    recent(`${workspace.enterpriseId} ${workspace.teamId}`, () => deps.clients(workspace), { again });
}

export type RecentClients = ReturnType<typeof makeRecentClients>;
