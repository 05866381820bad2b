import type { PublicChannelsOf } from '../../core/administering/visible-channels.ts';
import type { Workspace } from '../../core/model/people.ts';
import { type KeptChannelsDeps, makeKeptChannels } from './kept-channels.ts';

/** Slack's maximum per page for `conversations.list`. */
const channelsAPage = 1_000;

/** Asks Slack for the public channels of a workspace, archived ones included. */
export function makePublicChannelsOf(deps: KeptChannelsDeps): PublicChannelsOf {
  return makeKeptChannels<Workspace>(deps, {
    keyOf: ({ teamId }) => teamId,
    page: async (client, { teamId }, cursor) => {
      const query = { team_id: teamId, types: 'public_channel', limit: channelsAPage, ...cursor };
      const answer = await client.conversations.list(query);
      return { ...answer, channels: answer.channels?.filter(({ is_private }) => !is_private) };
    },
    mostPages: 10,
    failure: 'the public channels of a workspace could not be found',
  });
}
