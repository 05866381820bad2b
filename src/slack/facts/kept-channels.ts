import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import type { Log } from '../../lib/log.ts';
import { type Records, recorded } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** Lists are kept for a while: Slack allows such questions about 20 times a minute per workspace. */
export const channelsSchema = z.array(z.string());

export type KeptChannelsDeps = {
  readonly clients: WebClients;
  readonly found: Pick<Records<string[]>, 'get' | 'set'>;
  readonly log: Pick<Log, 'warn'>;
};

type Page = {
  readonly channels?: readonly { readonly id?: string; readonly is_private?: boolean }[] | undefined;
  readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined;
};

/** How a list is asked for, a page at a time. */
type AskedByPage<Of extends Workspace> = {
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
      return new Set(await recorded(found, keyOf(of), () => look(of)));
    } catch (error) {
      log.warn({ err: error, team: of.teamId }, failure);
      return null;
    }
  };
}
