import type { WebClient } from '@slack/web-api';
import type { InChannel, IsInChannel } from '../../core/access/in-channel.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';

export type InChannelDeps = {
  readonly clients: WebClients;
  /** Who is in a channel. Absence is never cached, since a person may join at any time. */
  readonly found: Pick<Records<true>, 'get' | 'set'>;
};

/** Slack's maximum at once (`conversations.members`). */
const membersAPage = 1_000;
/** In a channel with more people than these pages hold, a person whom Slack let type there is not refused. */
const pagesRead = 10;

/** Checks whether a person is a member of a channel. */
export function makeIsInChannel({ clients, found }: InChannelDeps): IsInChannel {
  return async (person, channelId) => {
    // Without a further scope Slack says nothing of direct messages, and nothing is posted there.
    if (channelId === '' || channelId.startsWith('D')) return 'unknown';
    const key = `${person.teamId}/${channelId}/${person.userId}`;
    if (await found.get(key)) return 'yes';
    try {
      const { client } = await clients(person);
      const answer = await lookAmong(client, person, channelId);
      if (answer === 'yes') await found.set(key, true);
      return answer;
    } catch {
      // Slack says nothing of private channels that the bot is not in, nor when it was asked too often.
      return 'unknown';
    }
  };
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
