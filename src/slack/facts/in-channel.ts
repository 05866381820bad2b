import type { WebClient } from '@slack/web-api';
import { type Channel, isDirect, type SlackPerson } from '../../core/model/people.ts';
import type { InChannel, IsInChannel } from '../../core/slack.ts';
import type { Records } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';
import { channelsKey } from './channels-of.ts';
import { pagesOf } from './pages.ts';

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

/** Clears the cached channels of a person who left a channel, since they may no longer see its subscriptions. */
export function makeForgetMember({
  inChannel,
  channelsOf,
}: {
  readonly inChannel: Pick<Records<true>, 'delete'>;
  readonly channelsOf: Pick<Records<unknown>, 'delete'>;
}) {
  return async (channel: Channel, userId: string): Promise<void> => {
    const person = { ...channel, userId };
    await Promise.all([
      inChannel.delete(inChannelKey(person, channel.channelId)),
      channelsOf.delete(channelsKey(person)),
    ]);
  };
}

/** Returns the cache key of a person in a channel. */
function inChannelKey({ teamId, userId }: SlackPerson, channelId: string): string {
  return `${teamId}/${channelId}/${userId}`;
}

async function lookAmong(client: WebClient, { userId }: SlackPerson, channel: string): Promise<InChannel> {
  const query = { channel, limit: membersAPage };
  const ask = (cursor: object) => client.conversations.members({ ...query, ...cursor });
  for await (const { members, response_metadata: more } of pagesOf(pagesRead, ask)) {
    if (members?.includes(userId)) return 'yes';
    if (!more?.next_cursor) return members ? 'no' : 'unknown';
  }
  return 'unknown';
}
