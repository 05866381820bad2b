import type { ChannelsOf } from '../../core/access/channels-of.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import { type KeptChannelsDeps, makeKeptChannels } from './kept-channels.ts';

/** Slack returns at most 999 at once (`users.conversations`). */
const channelsAPage = 999;

/** Asks Slack for a person's channels; of private ones, those the bot is in too. */
export function makeChannelsOf(deps: KeptChannelsDeps): ChannelsOf {
  return makeKeptChannels<SlackPerson>(deps, {
    keyOf: channelsKey,
    page: (client, { userId, teamId }, cursor) =>
      client.users.conversations({
        user: userId,
        team_id: teamId,
        types: 'public_channel,private_channel',
        limit: channelsAPage,
        ...cursor,
      }),
    mostPages: 5,
    failure: 'the channels of a person could not be found',
  });
}

/**
 * The key of a person's channels: one for all workspaces of an organization, which share channels, while Slack reports only one workspace
 * of those in which a person left a channel.
 */
export function channelsKey({ enterpriseId, teamId, userId }: SlackPerson): string {
  return `${enterpriseId ?? teamId}/${userId}`;
}
