import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { type Channel, channelKey, isDirect } from '../../core/model/people.ts';
import type { Postable } from '../../core/model/slack-access.ts';
import type { ChannelReaders } from '../../core/slack.ts';
import { minuteMs } from '../../lib/durations.ts';
import { type RecordKind, recorded } from '../../lib/records.ts';
import { NotInstalledError } from '../installing/web-clients.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import type { SlackApi } from '../slack-api.ts';

/** Asks Slack whether people from other organizations are in a channel. Throws if Slack does not say. */
export async function isShared(api: SlackApi, channel: Channel): Promise<boolean> {
  return (await readersOf(api, channel)).isShared;
}

/**
 * Asks Slack who can read a channel: people from other organizations, and everybody in the workspace. Throws if the call fails or does not
 * describe the channel, because a wrong guess could leak names.
 */
export async function readersOf({ clientOf }: SlackApi, channel: Channel): Promise<ChannelReaders> {
  // Slack does not describe direct messages without an additional scope, and the bot is only in its own.
  if (isDirect(channel.channelId)) return { isShared: false, isPublic: false };
  const { client } = await clientOf(channel);
  const { channel: found } = await client.conversations.info({ channel: channel.channelId });
  if (!found) throw new Error('Slack’s answer does not describe the channel');
  // `is_shared` is also true for channels shared between workspaces of one organization, whose people are not strangers.
  const isShared = found.is_ext_shared === true || found.is_pending_ext_shared === true;
  return { isShared, isPublic: found.is_channel === true && found.is_private === false };
}

/** Asks Slack whether the bot can post to a conversation right now. */
export async function mayPost(
  { clientOf, directMessages, wasRemoved }: SlackApi,
  channel: Channel,
): Promise<Postable> {
  // Slack does not describe direct messages without an additional scope, and the bot is only in its own.
  if (isDirect(channel.channelId)) return (await directMessages.isOwn(channel)) ? 'yes' : 'direct message';
  try {
    const { client, identity } = await clientOf(channel);
    const { channel: found } = await client.conversations.info({ channel: channel.channelId });
    if (!found) return 'unknown';
    const postable = judge(found, identity.scopes);
    const isOutside = postable === 'yes' && found.is_member === false;
    return isOutside && (await wasRemoved(channel)) ? 'not in channel' : postable;
  } catch (error) {
    return whyNotKnown(error);
  }
}

const kept: RecordKind<Postable> = { namespace: 'may-post', ttlMs: minuteMs / 2 };

/** The same with kept answers, for forms that check the same channel repeatedly before anything is posted. */
export function recentlyMayPost(api: SlackApi, channel: Channel): Promise<Postable> {
  return recorded(api.records(kept), channelKey(channel), () => mayPost(api, channel));
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
      // Slack's answer for private channels that the bot is not in.
      return 'not in private channel';
    case 'missing_scope':
      return neededFor(error) === 'mpim:read' ? 'direct message' : 'not installed';
    default:
      return 'unknown';
  }
}

/** Returns the scope that Slack says is missing: of a group direct message, only that shows that it is one. */
function neededFor(error: unknown): unknown {
  return error instanceof WebAPIPlatformError && 'needed' in error.data ? error.data.needed : null;
}

function isReadOnly(found: object): boolean {
  return (
    ('is_read_only' in found && found.is_read_only === true) ||
    ('is_thread_only' in found && found.is_thread_only === true)
  );
}
