import type { WebClient } from '@slack/web-api';
import type { Edit, LookUp, Post, PostOutcome } from '../../core/channels/post.ts';
import type { Workspace } from '../../core/model/people.ts';
import { isTokenOver } from '../installing/standing.ts';
import { NotInstalledError, type RecentClients, TokenUnavailableError } from '../installing/web-clients.ts';
import { outcomeOf } from './post-outcomes.ts';

/** How long to wait before retrying a message whose token could not be refreshed. */
const tokenWaitSeconds = 10;

/** Posts to channels as the bot. Links never unfurl: a post is a notification, not a shared page. */
export function makePost({ clients }: { readonly clients: RecentClients }): Post {
  return async (channel, message, options = {}): Promise<PostOutcome> => {
    try {
      const answer = await withToken(clients, channel, (client) =>
        client.chat.postMessage({
          channel: channel.channelId,
          text: message.text,
          ...(message.blocks.length > 0 ? { blocks: asText(message.blocks) } : {}),
          ...(options.threadTs === undefined ? {} : { thread_ts: options.threadTs }),
          ...(options.key === undefined ? {} : { metadata: asText(metadataOf(options.key)) }),
          unfurl_links: false,
          unfurl_media: false,
        }),
      );
      return answer.ts ? { kind: 'posted', ts: answer.ts } : { kind: 'perhaps', error: 'no_ts' };
    } catch (error) {
      return outcomeOfFailure(error);
    }
  };
}

/** Edits the bot's own messages. */
export function makeEdit({ clients }: { readonly clients: RecentClients }): Edit {
  return async (channel, ts, message): Promise<PostOutcome> => {
    try {
      await withToken(clients, channel, (client) =>
        client.chat.update({
          channel: channel.channelId,
          ts,
          text: message.text,
          blocks: asText(message.blocks),
        }),
      );
      return { kind: 'posted', ts };
    } catch (error) {
      return outcomeOfFailure(error);
    }
  };
}

/**
 * Serializes a part the way the client would; the client sends strings unchanged. For an object it would also build a redacted copy, part
 * by part, for a log line that is never written, which is half the cost of a call (seen in 8.2.0).
 */
function asText<Part extends object>(part: Part): Sendable<Part> {
  return JSON.stringify(part) as unknown as Sendable<Part>;
}

/** The client's types want mutable arrays. */
type Sendable<Part> = Part extends readonly (infer Each)[] ? Each[] : Part;

/**
 * Calls Slack with the cached token. If Slack has revoked that token and a reinstall has brought a new one, repeats the call; the first one
 * posted nothing.
 */
async function withToken<T>(
  clients: RecentClients,
  workspace: Workspace,
  call: (client: WebClient) => Promise<T>,
): Promise<T> {
  const known = await clients(workspace);
  try {
    return await call(known.client);
  } catch (error) {
    if (!isTokenOver(error)) throw error;
    const current = await clients(workspace, { again: true });
    if (current.identity.botToken === known.identity.botToken) throw error;
    return call(current.client);
  }
}

function outcomeOfFailure(error: unknown): Exclude<PostOutcome, { kind: 'posted' }> {
  if (error instanceof NotInstalledError) return { kind: 'workspace closed', error: 'not_installed' };
  if (error instanceof TokenUnavailableError) {
    return { kind: 'wait', seconds: tokenWaitSeconds, error: 'token_refresh' };
  }
  return outcomeOf(error);
}

/** Slack stores the metadata with the message. Every app that can read the channel sees it, so it contains only an opaque key. */
const eventType = 'plancast_post';

/** Returns the metadata to post with a message so that it can be found later. */
function metadataOf(key: string): { event_type: string; event_payload: { key: string } } {
  return { event_type: eventType, event_payload: { key } };
}

/** Whether a Slack message has the given key in its metadata. */
function hasKey(message: { readonly metadata?: unknown }, key: string): boolean {
  const { metadata } = message;
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { event_type: type, event_payload: payload } = metadata as Record<string, unknown>;
  return (
    type === eventType &&
    typeof payload === 'object' &&
    payload !== null &&
    'key' in payload &&
    payload.key === key
  );
}

/** Needed to read public and private channels. The manifest does not request these scopes, but an admin can grant them. */
const scopes = ['channels:history', 'groups:history'];
/** The most messages to read. Slack gives apps outside its Marketplace no more per call. */
const messagesRead = 15;
/** Tolerated difference between Slack's clock and ours, in milliseconds. */
const slackMs = 30_000;

/** Finds posts whose response we never read, because Slack has no idempotency key that would prevent a second post. */
export function makeLookUp({ clients }: { readonly clients: RecentClients }): LookUp {
  return {
    async mayLook(channel) {
      const { identity } = await clients(channel);
      return scopes.every((scope) => identity.scopes?.includes(scope) ?? false);
    },
    async find(channel, { key, since, threadTs }) {
      const { client } = await clients(channel);
      const search = {
        channel: channel.channelId,
        oldest: String((since.getTime() - slackMs) / 1_000),
        limit: messagesRead,
        include_all_metadata: true,
      };
      const found = await messagesOf(client, search, threadTs);
      return found.find((message) => hasKey(message, key))?.ts ?? null;
    },
  };
}

type Search = { channel: string; oldest: string; limit: number; include_all_metadata: boolean };

async function messagesOf(client: WebClient, search: Search, threadTs: string | null) {
  const answer =
    threadTs === null
      ? await client.conversations.history(search)
      : await client.conversations.replies({ ...search, ts: threadTs });
  return answer.messages ?? [];
}
