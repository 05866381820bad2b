import type { ChannelsOf } from '../../core/access/channels-of.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import { type KeptChannelsDeps, makeKeptChannels } from './kept-channels.ts';

/** Slack's maximum per page for `users.conversations`. */
const channelsAPage = 999;

/** Asks Slack for a person's channels. A private channel is only listed if the bot is in it too. */
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
 * Returns the cache key of a person's channels. All workspaces of an organization use one key, because they share channels and Slack
 * names only one of the workspaces when a person leaves a shared channel.
 */
export function channelsKey({ enterpriseId, teamId, userId }: SlackPerson): string {
  return `${enterpriseId ?? teamId}/${userId}`;
}
