import type { Channel } from '../../core/model/people.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** Asks Slack whether people from other organizations are in a channel. Throws if Slack does not say, since guessing could leak. */
export function makeIsShared({ clients }: { readonly clients: WebClients }) {
  return async (channel: Channel): Promise<boolean> => {
    const { client } = await clients(channel);
    const { channel: found } = await client.conversations.info({ channel: channel.channelId });
    // Slack: `is_shared` also covers channels of several workspaces of one organization, who are not strangers.
    return found?.is_ext_shared === true || found?.is_pending_ext_shared === true;
  };
}
