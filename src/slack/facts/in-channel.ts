import type { WebClient } from '@slack/web-api';
import { type Channel, isDirect, type SlackPerson } from '../../core/model/people.ts';
import type { InChannel } from '../../core/slack.ts';
import { minuteMs } from '../../lib/durations.ts';
import type { RecordKind } from '../../lib/records.ts';
import type { SlackApi } from '../slack-api.ts';
import { channelsKey, keptOfPeople } from './channels-of.ts';
import { pagesOf } from './pages.ts';

/** Members of channels. Absence is never kept, since a person can join at any time. */
const keptMembers: RecordKind<true> = { namespace: 'in-channel', ttlMs: minuteMs / 6 };

/** Slack's maximum per page for `conversations.members`. */
const membersAPage = 1_000;
/** The most pages to read. A person not found in a larger channel is `unknown` and not refused, since Slack let them type there. */
const pagesRead = 10;

/** Checks whether a person is a member of a channel. */
export async function isInChannel(
  { clientOf, records, directMessages }: SlackApi,
  person: SlackPerson,
  channelId: string,
): Promise<InChannel> {
  if (channelId === '') return 'unknown';
  if (isDirect(channelId)) return (await directMessages.of(person)) === channelId ? 'yes' : 'no';
  const key = inChannelKey(person, channelId);
  if (await records(keptMembers).get(key)) return 'yes';
  try {
    const { client } = await clientOf(person);
    const answer = await findAmong(client, person, channelId);
    if (answer === 'yes') await records(keptMembers).set(key, true);
    return answer;
  } catch {
    // Slack does not answer for private channels that the bot is not in, or while it rate-limits us.
    return 'unknown';
  }
}

/** Forgets the kept channels of a person who joined or left one. */
export async function forgetMember({ records }: SlackApi, channel: Channel, userId: string): Promise<void> {
  const person = { ...channel, userId };
  await Promise.all([
    records(keptMembers).delete(inChannelKey(person, channel.channelId)),
    records(keptOfPeople).delete(channelsKey(person)),
  ]);
}

function inChannelKey({ teamId, userId }: SlackPerson, channelId: string): string {
  return `${teamId}/${channelId}/${userId}`;
}

async function findAmong(client: WebClient, { userId }: SlackPerson, channel: string): Promise<InChannel> {
  const query = { channel, limit: membersAPage };
  const ask = (cursor: object) => client.conversations.members({ ...query, ...cursor });
  for await (const { members, response_metadata: more } of pagesOf(pagesRead, ask)) {
    if (members?.includes(userId)) return 'yes';
    if (!more?.next_cursor) return members ? 'no' : 'unknown';
  }
  return 'unknown';
}
