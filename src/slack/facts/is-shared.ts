import { type Channel, isDirect } from '../../core/model/people.ts';
import type { SlackApi } from '../slack-api.ts';

/**
 * Asks Slack whether people from other organizations are in a channel. Throws if the call fails or does not describe the channel, because a
 * wrong guess could leak names.
 */
export async function isShared({ clientOf }: SlackApi, channel: Channel): Promise<boolean> {
  // Slack does not describe direct messages without an additional scope, and the bot is only in its own.
  if (isDirect(channel.channelId)) return false;
  const { client } = await clientOf(channel);
  const { channel: found } = await client.conversations.info({ channel: channel.channelId });
  if (!found) throw new Error('Slack’s answer does not describe the channel');
  // `is_shared` is also true for channels shared between workspaces of one organization, whose people are not strangers.
  return found.is_ext_shared === true || found.is_pending_ext_shared === true;
}
