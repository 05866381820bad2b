import type { WebClient } from '@slack/web-api';
import type { Channel, Workspace } from '../../core/model/people.ts';
import type { PostOutcome } from '../../core/slack.ts';
import type { Message } from '../../messages/text/message.ts';
import { isTokenOver } from '../installing/installation-state.ts';
import { NotInstalledError, TokenUnavailableError } from '../installing/web-clients.ts';
import type { SlackApi } from '../slack-api.ts';
import { outcomeOf } from './post-outcomes.ts';

/** How long to wait before retrying a message whose token could not be refreshed. */
const tokenWaitSeconds = 10;

/** Posts to a channel as the bot. Links never unfurl: a post is a notification, not a shared page. */
export async function post(
  api: SlackApi,
  channel: Channel,
  message: Message,
  threadTs: string | null = null,
): Promise<PostOutcome> {
  try {
    const answer = await withToken(api, channel, (client) =>
      client.chat.postMessage({
        channel: channel.channelId,
        text: message.text,
        ...(message.blocks.length > 0 ? { blocks: asText(message.blocks) } : {}),
        ...(threadTs === null ? {} : { thread_ts: threadTs }),
        unfurl_links: false,
        unfurl_media: false,
      }),
    );
    return answer.ts ? { kind: 'posted', ts: answer.ts } : { kind: 'perhaps', error: 'no_ts' };
  } catch (error) {
    return outcomeOfFailure(error);
  }
}

/** Edits one of the bot's own messages. */
export async function edit(
  api: SlackApi,
  channel: Channel,
  ts: string,
  message: Message,
): Promise<PostOutcome> {
  try {
    await withToken(api, channel, (client) =>
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
  { recentClientOf }: SlackApi,
  workspace: Workspace,
  call: (client: WebClient) => Promise<T>,
): Promise<T> {
  const known = await recentClientOf(workspace);
  try {
    return await call(known.client);
  } catch (error) {
    if (!isTokenOver(error)) throw error;
    const current = await recentClientOf(workspace, { again: true });
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
