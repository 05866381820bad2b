import type { WebClient } from '@slack/web-api';
import { type Channel, isDirect, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import { isUserId } from '../../core/model/typed-text.ts';
import { DirectMessageRefused, type PostedLinks, type PostOutcome } from '../../core/slack.ts';
import type { Message } from '../../messages/text/message.ts';
import { isTokenOver } from '../installing/installation-state.ts';
import { NotInstalledError, TokenUnavailableError } from '../installing/web-clients.ts';
import type { SlackApi } from '../slack-port.ts';
import { outcomeOf } from './post-outcomes.ts';

/** How long to wait before retrying a message whose token could not be refreshed. */
const tokenWaitSeconds = 10;

/** Links never unfurl: a post is a notification, not a shared page. */
const noPreviews = { unfurl_links: false, unfurl_media: false };

/** Posts to a channel, or to a person, as the bot. Never throws for an error of Slack's. */
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
        ...noPreviews,
      }),
    );
    const { ts, channel: id } = answer;
    if (!ts) return { kind: 'perhaps', error: 'no_ts' };
    return {
      kind: 'posted',
      ts,
      ...(isUserId(channel.channelId) && id && isDirect(id) ? { directId: id } : {}),
    };
  } catch (error) {
    return outcomeOfFailure(error);
  }
}

/** Edits one of the bot's own messages. Never throws for an error of Slack's. */
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
 * Sends a person a direct message. Slack opens the conversation when given a user id, and answers with its own id, which is stored. Throws
 * `DirectMessageRefused` if another try would fail as well, and another error if Slack cannot be reached.
 */
export async function directMessage(api: SlackApi, person: SlackPerson, message: Message): Promise<void> {
  const outcome = await post(api, { ...person, channelId: person.userId }, message);
  if (outcome.kind === 'posted') {
    if (outcome.directId) await api.directMessages.keep(person, outcome.directId);
    return;
  }
  const { kind, error } = outcome;
  if (kind === 'channel closed' || kind === 'refused') throw new DirectMessageRefused(error);
  throw new Error(`Slack took no direct message: ${error}`);
}

/** Shows a message in a channel, or in one of its threads, to one person only. Slack does not keep it. Throws if Slack refuses it. */
export async function showTo(
  { clientOf }: SlackApi,
  person: SlackPerson,
  { channelId, threadTs }: { readonly channelId: string; readonly threadTs: string | null },
  { text, blocks }: Message,
): Promise<void> {
  const { client } = await clientOf(person);
  await client.chat.postEphemeral({
    channel: channelId,
    user: person.userId,
    text,
    blocks,
    ...(threadTs === null ? {} : { thread_ts: threadTs }),
  });
}

/**
 * Shows previews below a message that was posted, not one that is still being written, by the links in it as Slack sent them. Does nothing if
 * an admin has not granted that. Throws if Slack refuses them.
 * @returns after how many seconds Slack takes them if it limits them now; else null
 */
export async function preview(
  { recentClientOf }: SlackApi,
  workspace: Workspace,
  posted: PostedLinks,
  previews: ReadonlyMap<string, Message>,
): Promise<number | null> {
  const { client, identity } = await recentClientOf(workspace);
  if (identity.scopes?.includes('links:write') === false) return null;
  const where =
    posted.unfurlId === null
      ? { channel: posted.channelId, ts: posted.ts }
      : { unfurl_id: posted.unfurlId, source: 'conversations_history' as const };
  const unfurls = Object.fromEntries([...previews].map(([url, { blocks }]) => [url, { blocks }]));
  try {
    await client.chat.unfurl({ ...where, unfurls });
    return null;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.kind === 'wait') return outcome.seconds;
    throw error;
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

/** Calls Slack with the cached token; again if Slack has revoked that and a reinstall brought a new one: the first posted nothing. */
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
