import type { WebClient } from '@slack/web-api';
import type { MayPost, Postable } from '../core/may-post.ts';
import { outcomeOf } from './post-outcomes.ts';
import { NotInstalledError, type WebClients } from './web-clients.ts';

/** Asks Slack whether the bot could post into a conversation right now. */
export function makeMayPost({ clients }: { readonly clients: WebClients }): MayPost {
  return async (channel) => {
    // Direct messages: the bot is in none but its own, and those are nobody's channel.
    if (channel.channelId.startsWith('D')) return 'direct message';
    try {
      const { client, identity } = await clients(channel);
      const { channel: found } = await client.conversations.info({ channel: channel.channelId });
      return found ? judge(found, identity.scopes) : 'not in private channel';
    } catch (error) {
      return whyNotKnown(error);
    }
  };
}

type Conversation = NonNullable<Awaited<ReturnType<WebClient['conversations']['info']>>['channel']>;

function judge(found: Conversation, scopes: readonly string[] | null): Postable {
  if (found.is_im || found.is_mpim) return 'direct message';
  if (found.is_archived) return 'archived';
  if (isReadOnly(found)) return 'read-only';
  if (found.is_member !== false) return 'yes';
  if (found.is_private) return 'not in private channel';
  return scopes?.includes('chat:write.public') ? 'yes' : 'not in channel';
}

function whyNotKnown(error: unknown): Postable {
  if (error instanceof NotInstalledError) return 'not installed';
  switch (outcomeOf(error).error) {
    case 'channel_not_found':
      // Slack says so of private channels that the bot is not in.
      return 'not in private channel';
    case 'missing_scope':
      return 'not installed';
    default:
      return 'unknown';
  }
}

function isReadOnly(found: object): boolean {
  return (
    ('is_read_only' in found && found.is_read_only === true) ||
    ('is_thread_only' in found && found.is_thread_only === true)
  );
}
