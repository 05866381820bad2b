import type { WebClient } from '@slack/web-api';
import type { Edit, Post, PostOutcome } from '../../core/channels/post.ts';
import type { Workspace } from '../../core/model/people.ts';
import { isTokenOver } from '../installing/standing.ts';
import { NotInstalledError, type RecentClients, TokenUnavailableError } from '../installing/web-clients.ts';
import { metadataOf } from './post-metadata.ts';
import { outcomeOf } from './post-outcomes.ts';

/** How soon a message whose token could not be refreshed is tried again. */
const tokenWaitSeconds = 10;

/** Posts into channels as the bot. Links never unfurl: what is posted is a notice, not a page. */
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

/** Edits messages of the bot's own. */
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
 * As the client sends it, which takes text as it is. Of an object it also makes a redacted copy for a line of its log that is not
 * written, part by part, which is half of all that a call costs (seen in 8.2.0).
 */
function asText<Part extends object>(part: Part): Sendable<Part> {
  return JSON.stringify(part) as unknown as Sendable<Part>;
}

/** The client's types have lists that can be changed. */
type Sendable<Part> = Part extends readonly (infer Each)[] ? Each[] : Part;

/**
 * Calls Slack with the token that is remembered. Where Slack has ended that one and there is another by now, since the bot was installed
 * again, the call is made once more: nothing was posted by the first.
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
