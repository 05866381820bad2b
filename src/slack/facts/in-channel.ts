import type { WebClient } from '@slack/web-api';
import type { InChannel, IsInChannel } from '../../core/access/in-channel.ts';
import { isDirect, type SlackPerson } from '../../core/model/people.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

type InChannelDeps = {
  readonly clients: WebClients;
  /** Cached members of channels. Absence is never cached, since a person can join at any time. */
  readonly found: Pick<Records<true>, 'get' | 'set'>;
  /** Returns the id of the person's own conversation with the bot, the only direct message that the bot serves. */
  readonly directMessageOf: (person: SlackPerson) => Promise<string | null>;
};

/** Slack's maximum per page for `conversations.members`. */
const membersAPage = 1_000;
/** The most pages to read. A person not found in a larger channel is `unknown` and not refused, since Slack let them type there. */
const pagesRead = 10;

/** Checks whether a person is a member of a channel. */
export function makeIsInChannel({ clients, found, directMessageOf }: InChannelDeps): IsInChannel {
  return async (person, channelId) => {
    if (channelId === '') return 'unknown';
    if (isDirect(channelId)) return (await directMessageOf(person)) === channelId ? 'yes' : 'no';
    const key = inChannelKey(person, channelId);
    if (await found.get(key)) return 'yes';
    try {
      const { client } = await clients(person);
      const answer = await lookAmong(client, person, channelId);
      if (answer === 'yes') await found.set(key, true);
      return answer;
    } catch {
      // Slack does not answer for private channels that the bot is not in, or while it rate-limits us.
      return 'unknown';
    }
  };
}

/** Returns the cache key of a person in a channel. */
export function inChannelKey({ teamId, userId }: SlackPerson, channelId: string): string {
  return `${teamId}/${channelId}/${userId}`;
}

async function lookAmong(client: WebClient, { userId }: SlackPerson, channel: string): Promise<InChannel> {
  let cursor: string | undefined;
  for (let page = 0; page < pagesRead; page += 1) {
    const answer = await client.conversations.members({
      channel,
      limit: membersAPage,
      ...(cursor ? { cursor } : {}),
    });
    if (answer.members?.includes(userId)) return 'yes';
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) return answer.members ? 'no' : 'unknown';
  }
  return 'unknown';
}
