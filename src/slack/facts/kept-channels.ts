import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** Lists are kept for a while: Slack allows such questions about 20 times a minute per workspace. */
export const channelsSchema = z.object({ teamId: z.string(), channels: z.array(z.string()) });

/** The channels that were found in a workspace. */
export type FoundChannels = z.infer<typeof channelsSchema>;

export type KeptChannelsDeps = {
  readonly clients: WebClients;
  readonly found: Pick<Records<FoundChannels>, 'get' | 'set'>;
  readonly log: Pick<Log, 'warn'>;
};

type Page = {
  readonly channels?: readonly { readonly id?: string; readonly is_private?: boolean }[] | undefined;
  readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined;
};

/** How a list is asked for, a page at a time. */
type AskedByPage<Of extends Workspace> = {
  /** Of several workspaces with the same key, the list of the last one is kept. */
  readonly keyOf: (of: Of) => string;
  readonly page: (client: WebClient, of: Of, cursor: { readonly cursor?: string }) => Promise<Page>;
  /** Channels after these pages are not known. */
  readonly mostPages: number;
  /** For the log. */
  readonly failure: string;
};

/** Makes a function that lists channels, from what is kept or from Slack; null where Slack does not answer. */
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
