import { z } from 'zod';
import type { ChannelsOf } from '../../core/access/channels-of.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** Channels are cached per person: Slack allows `users.conversations` about 20 times a minute per workspace. */
export const channelsSchema = z.array(z.string());

export type ChannelsOfDeps = {
  readonly clients: WebClients;
  readonly found: Pick<Records<string[]>, 'get' | 'set'>;
  readonly log: Pick<Log, 'warn'>;
};

/** Slack returns at most 999 at once (`users.conversations`). */
const channelsAPage = 999;
/** A person in more channels than these pages hold sees the first ones. */
const pagesRead = 5;

/** Asks Slack for a person's channels; of private ones, those the bot is in too. */
export function makeChannelsOf({ clients, found, log }: ChannelsOfDeps): ChannelsOf {
  return async (person) => {
    const key = channelsKey(person);
    try {
      const kept = await found.get(key);
      if (kept) return new Set(kept);
      const channels = await look(clients, person);
      await found.set(key, channels);
      return new Set(channels);
    } catch (error) {
      log.warn({ err: error, team: person.teamId }, 'the channels of a person could not be found');
      return null;
    }
  };
}

/** The key of a person's channels. */
export function channelsKey({ teamId, userId }: SlackPerson): string {
  return `${teamId}/${userId}`;
}

async function look(clients: WebClients, person: SlackPerson): Promise<string[]> {
  const { client } = await clients(person);
  const channels: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesRead; page += 1) {
    const answer = await client.users.conversations({
      user: person.userId,
      team_id: person.teamId,
      types: 'public_channel,private_channel',
      limit: channelsAPage,
      ...(cursor ? { cursor } : {}),
    });
    channels.push(...(answer.channels ?? []).flatMap(({ id }) => (id ? [id] : [])));
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return channels;
}
