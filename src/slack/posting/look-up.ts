import type { WebClient } from '@slack/web-api';
import type { LookUp } from '../../core/channels/post.ts';
import type { RecentClients } from '../installing/web-clients.ts';
import { hasKey } from './post-metadata.ts';

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
