import type { WebClient } from '@slack/web-api';
import type { LookUp } from '../../core/channels/post.ts';
import type { RecentClients } from '../installing/web-clients.ts';
import { hasKey } from './post-metadata.ts';

/** Without the one a channel cannot be read, and without the other a private one. The manifest does not ask for them, but an admin may grant them. */
const scopes = ['channels:history', 'groups:history'];
/** Messages read at most: an app that is not in Slack's Marketplace gets no more than these at once. */
const messagesRead = 15;
/** The two clocks, Slack's and ours, may differ by as much. */
const slackMs = 30_000;

/** Finds posts again whose answer was never read (Slack offers no key that would keep a message from being posted twice). */
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
