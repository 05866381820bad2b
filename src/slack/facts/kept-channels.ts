import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** A cached list of channels. Slack allows about 20 of these calls a minute per workspace. */
export const channelsSchema = z.object({ teamId: z.string(), channels: z.array(z.string()) });

/** The channels found in a workspace. */
type FoundChannels = z.infer<typeof channelsSchema>;

export type KeptChannelsDeps = {
  readonly clients: WebClients;
  readonly found: Pick<Records<FoundChannels>, 'get' | 'set'>;
  readonly log: Pick<Log, 'warn'>;
};

type Page = {
  readonly channels?: readonly { readonly id?: string; readonly is_private?: boolean }[] | undefined;
  readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined;
};

/** How to fetch a list of channels page by page. */
type AskedByPage<Of extends Workspace> = {
  /** The cache key. If several workspaces share it, only the list of the last one is cached. */
  readonly keyOf: (of: Of) => string;
  readonly page: (client: WebClient, of: Of, cursor: { readonly cursor?: string }) => Promise<Page>;
  /** The most pages to read; channels beyond them stay unknown. */
  readonly mostPages: number;
  /** The log message if Slack cannot be asked. */
  readonly failure: string;
};

/** Returns a function that lists channels, from the cache or from Slack; null if Slack cannot be asked. */
export function makeKeptChannels<Of extends Workspace>(
  { clients, found, log }: KeptChannelsDeps,
  { keyOf, page, mostPages, failure }: AskedByPage<Of>,
): (of: Of) => Promise<ReadonlySet<string> | null> {
  async function look(of: Of): Promise<string[]> {
    const { client } = await clients(of);
    const channels: string[] = [];
    let cursor: string | undefined;
    for (let read = 0; read < mostPages; read += 1) {
      const answer = await page(client, of, cursor ? { cursor } : {});
      channels.push(...(answer.channels ?? []).flatMap(({ id }) => id ?? []));
      cursor = answer.response_metadata?.next_cursor;
      if (!cursor) break;
    }
    return channels;
  }
  return async (of) => {
    try {
      const kept = await found.get(keyOf(of));
      if (kept?.teamId === of.teamId) return new Set(kept.channels);
      const channels = await look(of);
      await found.set(keyOf(of), { teamId: of.teamId, channels });
      return new Set(channels);
    } catch (error) {
      log.warn({ err: error, team: of.teamId }, failure);
      return null;
    }
  };
}
