import type { Edit, Post, PostOutcome } from '../../core/channels/post.ts';
import { NotInstalledError, TokenUnavailableError, type WebClients } from '../installing/web-clients.ts';
import { metadataOf } from './post-metadata.ts';
import { outcomeOf } from './post-outcomes.ts';

/** How soon a message whose token could not be refreshed is tried again. */
const tokenWaitSeconds = 10;

/** Posts into channels as the bot. Links never unfurl: what is posted is a notice, not a page. */
export function makePost({ clients }: { readonly clients: WebClients }): Post {
  return async (channel, message, options = {}): Promise<PostOutcome> => {
    try {
      const { client } = await clients(channel);
      const answer = await client.chat.postMessage({
        channel: channel.channelId,
        text: message.text,
        ...(message.blocks.length > 0 ? { blocks: [...message.blocks] } : {}),
        ...(options.threadTs === undefined ? {} : { thread_ts: options.threadTs }),
        ...(options.key === undefined ? {} : { metadata: metadataOf(options.key) }),
        unfurl_links: false,
        unfurl_media: false,
      });
      return answer.ts ? { kind: 'posted', ts: answer.ts } : { kind: 'perhaps', error: 'no_ts' };
    } catch (error) {
      return outcomeOfFailure(error);
    }
  };
}

/** Edits messages of the bot's own. */
export function makeEdit({ clients }: { readonly clients: WebClients }): Edit {
  return async (channel, ts, message): Promise<PostOutcome> => {
    try {
      const { client } = await clients(channel);
      await client.chat.update({
        channel: channel.channelId,
        ts,
        text: message.text,
        blocks: [...message.blocks],
      });
      return { kind: 'posted', ts };
    } catch (error) {
      return outcomeOfFailure(error);
    }
  };
}

function outcomeOfFailure(error: unknown): Exclude<PostOutcome, { kind: 'posted' }> {
  if (error instanceof NotInstalledError) return { kind: 'workspace closed', error: 'not_installed' };
  if (error instanceof TokenUnavailableError) {
    return { kind: 'wait', seconds: tokenWaitSeconds, error: 'token_refresh' };
  }
  return outcomeOf(error);
}
