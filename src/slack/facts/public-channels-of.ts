import { z } from 'zod';
import type { PublicChannelsOf } from '../../core/administering/visible-channels.ts';
import type { Workspace } from '../../core/model/people.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** What is kept of a workspace's public channels for a while. */
export const publicChannelsSchema = z.array(z.string());

export type PublicChannelsDeps = {
  readonly clients: WebClients;
  readonly found: Pick<Records<string[]>, 'get' | 'set'>;
  readonly log: Pick<Log, 'warn'>;
};

/** Slack returns at most 1,000 at once (`conversations.list`), and allows about 20 such questions a minute. */
const channelsAPage = 1_000;
/** In a workspace with more public channels than these pages hold, those after them are not known to be public. */
const pagesRead = 10;

/** Asks Slack for the public channels of a workspace, archived ones included. */
export function makePublicChannelsOf({ clients, found, log }: PublicChannelsDeps): PublicChannelsOf {
  return async (workspace) => {
    try {
      const kept = await found.get(workspace.teamId);
      if (kept) return new Set(kept);
      const channels = await look(clients, workspace);
      await found.set(workspace.teamId, channels);
      return new Set(channels);
    } catch (error) {
      log.warn(
        { err: error, team: workspace.teamId },
        'the public channels of a workspace could not be found',
      );
      return null;
    }
  };
}

async function look(clients: WebClients, workspace: Workspace): Promise<string[]> {
  const { client } = await clients(workspace);
  const channels: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesRead; page += 1) {
    const answer = await client.conversations.list({
      team_id: workspace.teamId,
      types: 'public_channel',
      limit: channelsAPage,
      ...(cursor ? { cursor } : {}),
    });
    channels.push(
      ...(answer.channels ?? []).flatMap(({ id, is_private }) => (id && !is_private ? [id] : [])),
    );
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return channels;
}
