import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { SlackPerson, Workspace } from '../../core/model/people.ts';
import type { ChannelsOf, PublicChannelsOf } from '../../core/slack.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';
import { type Page, pagesOf } from './pages.ts';

/** A cached list of channels. Slack allows about 20 of these calls a minute per workspace. */
export const channelsSchema = z.object({ teamId: z.string(), channels: z.array(z.string()) });

type ChannelsDeps = {
  readonly clients: WebClients;
  readonly found: Pick<Records<z.infer<typeof channelsSchema>>, 'get' | 'set'>;
  readonly log: Pick<Log, 'warn'>;
};

/** Slack's maximum per page for `users.conversations`. */
const ownChannelsAPage = 999;

/** Asks Slack for a person's channels. A private channel is only listed if the bot is in it too. */
export function makeChannelsOf(deps: ChannelsDeps): ChannelsOf {
  return makeKeptChannels<SlackPerson>(deps, {
    keyOf: channelsKey,
    page: (client, { userId, teamId }, cursor) =>
      client.users.conversations({
        user: userId,
        team_id: teamId,
        types: 'public_channel,private_channel',
        limit: ownChannelsAPage,
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

/** Slack's maximum per page for `conversations.list`. */
const publicChannelsAPage = 1_000;

/** Asks Slack for the public channels of a workspace, archived ones included. */
export function makePublicChannelsOf(deps: ChannelsDeps): PublicChannelsOf {
  return makeKeptChannels<Workspace>(deps, {
    keyOf: ({ teamId }) => teamId,
    page: async (client, { teamId }, cursor) => {
      const query = { team_id: teamId, types: 'public_channel', limit: publicChannelsAPage, ...cursor };
      const answer = await client.conversations.list(query);
      return { ...answer, channels: answer.channels?.filter(({ is_private }) => !is_private) };
    },
    mostPages: 10,
    failure: 'the public channels of a workspace could not be found',
  });
}

type ChannelsPage = Page & { readonly channels?: readonly { readonly id?: string }[] | undefined };

/** How to fetch a list of channels page by page. */
type AskedByPage<Of extends Workspace> = {
  /** The cache key. If several workspaces share it, only the list of the last one is cached. */
  readonly keyOf: (of: Of) => string;
  readonly page: (client: WebClient, of: Of, cursor: { readonly cursor?: string }) => Promise<ChannelsPage>;
  /** The most pages to read; channels beyond them stay unknown. */
  readonly mostPages: number;
  /** The log message if Slack cannot be asked. */
  readonly failure: string;
};

/** Returns a function that lists channels, from the cache or from Slack; null if Slack cannot be asked. */
function makeKeptChannels<Of extends Workspace>(
  { clients, found, log }: ChannelsDeps,
  { keyOf, page, mostPages, failure }: AskedByPage<Of>,
): (of: Of) => Promise<ReadonlySet<string> | null> {
  return async (of) => {
    try {
      const kept = await found.get(keyOf(of));
      if (kept?.teamId === of.teamId) return new Set(kept.channels);
      const { client } = await clients(of);
      const channels: string[] = [];
      for await (const answer of pagesOf(mostPages, (cursor) => page(client, of, cursor))) {
        channels.push(...(answer.channels ?? []).flatMap(({ id }) => id ?? []));
      }
      await found.set(keyOf(of), { teamId: of.teamId, channels });
      return new Set(channels);
    } catch (error) {
      log.warn({ err: error, team: of.teamId }, failure);
      return null;
    }
  };
}
