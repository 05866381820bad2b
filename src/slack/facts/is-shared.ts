import { type Channel, isDirect } from '../../core/model/people.ts';
import type { ChannelReaders } from '../../core/slack.ts';
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
