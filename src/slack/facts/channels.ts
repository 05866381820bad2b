import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { z } from 'zod';
import {
  type Channel,
  channelKey,
  isDirect,
  type SlackPerson,
  type Workspace,
} from '../../core/model/people.ts';
import type { Postable } from '../../core/model/slack-access.ts';
import type { ChannelReaders, InChannel } from '../../core/slack.ts';
import { minuteMs } from '../../lib/durations.ts';
import { type RecordKind, recorded } from '../../lib/records.ts';
import { NotInstalledError } from '../installing/web-clients.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import type { SlackApi } from '../slack-port.ts';
import { type Page, pagesOf } from './pages.ts';

// Lists of channels are kept, since Slack allows about 20 of these calls a minute per workspace.

const schema = z.object({ teamId: z.string(), channels: z.array(z.string()) });
const keptOfPeople = { namespace: 'channels-of', ttlMs: 10 * minuteMs, schema };
const keptPublic = { namespace: 'public-channels', ttlMs: minuteMs, schema };

/** Slack's maximum per page for `users.conversations`. */
const ownChannelsAPage = 999;
const ownPages = 5;
const ownFailure = 'the channels of a person could not be found';

function ownChannels(client: WebClient, { userId, teamId }: SlackPerson, cursor: { cursor?: string }) {
  const types = 'public_channel,private_channel';
  const query = { user: userId, team_id: teamId, types, limit: ownChannelsAPage, ...cursor };
  return client.users.conversations(query);
}

/** Asks Slack for the ids of a person's channels, of private ones only those with the bot. Null if it can't be asked; never throws. */
export function channelsOf(api: SlackApi, person: SlackPerson): Promise<ReadonlySet<string> | null> {
  return listOf(api, person, {
    kind: keptOfPeople,
    key: channelsKey(person),
    page: (client, cursor) => ownChannels(client, person, cursor),
    mostPages: ownPages,
    failure: ownFailure,
  });
}

/** Asks Slack for the names of a person's channels, by id; they are not kept. Null if Slack could not be asked; never throws. */
export async function channelNamesOf(
  { clientOf, log }: SlackApi,
  person: SlackPerson,
): Promise<ReadonlyMap<string, string> | null> {
  try {
    const { client } = await clientOf(person);
    const names = new Map<string, string>();
    for await (const page of pagesOf(ownPages, (cursor) => ownChannels(client, person, cursor))) {
      for (const { id, name } of page.channels ?? []) if (id) names.set(id, name ?? id);
    }
    return names;
  } catch (error) {
    log.warn({ err: error, team: person.teamId }, ownFailure);
    return null;
  }
}

/**
 * Returns the key of a person's kept channels. All workspaces of an organization use one key, because they share channels and Slack
 * names only one of the workspaces when a person leaves a shared channel.
 */
function channelsKey({ enterpriseId, teamId, userId }: SlackPerson): string {
  return `${enterpriseId ?? teamId}/${userId}`;
}

/** Slack's maximum per page for `conversations.list`. */
const publicChannelsAPage = 1_000;

/** Asks Slack for the ids of a workspace's public channels, archived ones included. Null if Slack could not be asked; never throws. */
export function publicChannelsOf(api: SlackApi, workspace: Workspace): Promise<ReadonlySet<string> | null> {
  const query = { team_id: workspace.teamId, types: 'public_channel', limit: publicChannelsAPage };
  return listOf(api, workspace, {
    kind: keptPublic,
    key: workspace.teamId,
    page: async (client, cursor) => {
      const answer = await client.conversations.list({ ...query, ...cursor });
      return { ...answer, channels: answer.channels?.filter(({ is_private }) => !is_private) };
    },
    mostPages: 10,
    failure: 'the public channels of a workspace could not be found',
  });
}

type ChannelsPage = Page & { readonly channels?: readonly { readonly id?: string }[] | undefined };

/** How to fetch a list of channels page by page. */
type AskedByPage = {
  readonly kind: RecordKind<z.infer<typeof schema>>;
  /** The key of the kept list. If several workspaces share it, only the list of the last one is kept. */
  readonly key: string;
  readonly page: (client: WebClient, cursor: { readonly cursor?: string }) => Promise<ChannelsPage>;
  /** The most pages to read; channels beyond them stay unknown. */
  readonly mostPages: number;
  /** The log message if Slack cannot be asked. */
  readonly failure: string;
};

/** Lists channels, as kept or from Slack; null if Slack cannot be asked. */
async function listOf(
  { clientOf, records, log }: SlackApi,
  workspace: Workspace,
  { kind, key, page, mostPages, failure }: AskedByPage,
): Promise<ReadonlySet<string> | null> {
  const { teamId } = workspace;
  try {
    const kept = await records(kind).get(key);
    if (kept?.teamId === teamId) return new Set(kept.channels);
    const { client } = await clientOf(workspace);
    const channels: string[] = [];
    for await (const answer of pagesOf(mostPages, (cursor) => page(client, cursor))) {
      channels.push(...(answer.channels ?? []).flatMap(({ id }) => id ?? []));
    }
    await records(kind).set(key, { teamId, channels });
    return new Set(channels);
  } catch (error) {
    log.warn({ err: error, team: teamId }, failure);
    return null;
  }
}

/** Members of channels. Absence is never kept, since a person can join at any time. */
const keptMembers: RecordKind<true> = { namespace: 'in-channel', ttlMs: minuteMs / 6 };

/** Slack's maximum per page for `conversations.members`. */
const membersAPage = 1_000;
/** The most pages to read. A person not found in a larger channel is `unknown` and not refused, since Slack let them type there. */
const pagesRead = 10;

/** Checks whether a person is in a conversation; a yes is kept for seconds. Never throws. */
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

/** Forgets the kept channels of a person who joined or left one, as they may see its subscriptions or no longer. */
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

/** Asks Slack whether people from other organizations are in a channel. Throws if Slack does not say. */
export async function isShared(api: SlackApi, channel: Channel): Promise<boolean> {
  return (await readersOf(api, channel)).isShared;
}

/** Asks Slack who can read a channel. Throws if it does not say, because a wrong guess could leak names. */
export async function readersOf({ clientOf }: SlackApi, channel: Channel): Promise<ChannelReaders> {
  // Slack does not describe direct messages without an additional scope, and the bot is only in its own.
  if (isDirect(channel.channelId)) return { isShared: false, isPublic: false };
  const { client } = await clientOf(channel);
  const { channel: found } = await client.conversations.info({ channel: channel.channelId });
  if (!found) throw new Error('Slack’s answer does not describe the channel');
  // `is_shared` is also true for channels shared between workspaces of one organization, whose people are not strangers.
  const isShared = found.is_ext_shared === true || found.is_pending_ext_shared === true;
  return { isShared, isPublic: found.is_channel === true && found.is_private === false };
}

/** Asks Slack whether the bot can post to a conversation right now. */
export async function mayPost(
  { clientOf, directMessages, wasRemoved }: SlackApi,
  channel: Channel,
): Promise<Postable> {
  // Slack does not describe direct messages without an additional scope, and the bot is only in its own.
  if (isDirect(channel.channelId)) return (await directMessages.isOwn(channel)) ? 'yes' : 'direct message';
  try {
    const { client, identity } = await clientOf(channel);
    const { channel: found } = await client.conversations.info({ channel: channel.channelId });
    if (!found) return 'unknown';
    const postable = judge(found, identity.scopes);
    const isOutside = postable === 'yes' && found.is_member === false;
    return isOutside && (await wasRemoved(channel)) ? 'not in channel' : postable;
  } catch (error) {
    return whyNotKnown(error);
  }
}

const kept: RecordKind<Postable> = { namespace: 'may-post', ttlMs: minuteMs / 2 };

/** The same with kept answers, for forms that check the same channel repeatedly before anything is posted. */
export function recentlyMayPost(api: SlackApi, channel: Channel): Promise<Postable> {
  return recorded(api.records(kept), channelKey(channel), () => mayPost(api, channel));
}

type Conversation = NonNullable<Awaited<ReturnType<WebClient['conversations']['info']>>['channel']>;

function judge(found: Conversation, scopes: readonly string[] | null): Postable {
  if (found.is_im || found.is_mpim) return 'direct message';
  if (found.is_archived) return 'archived';
  if (isReadOnly(found)) return 'read-only';
  if (found.is_member !== false) return 'yes';
  if (found.is_private) return 'not in private channel';
  return scopes?.includes('chat:write.public') ? 'yes' : 'not in channel';
}

function whyNotKnown(error: unknown): Postable {
  if (error instanceof NotInstalledError) return 'not installed';
  switch (outcomeOf(error).error) {
    case 'channel_not_found':
      // Slack's answer for private channels that the bot is not in.
      return 'not in private channel';
    case 'missing_scope':
      return neededFor(error) === 'mpim:read' ? 'direct message' : 'not installed';
    default:
      return 'unknown';
  }
}

/** Returns the scope that Slack says is missing: of a group direct message, only that shows that it is one. */
function neededFor(error: unknown): unknown {
  return error instanceof WebAPIPlatformError && 'needed' in error.data ? error.data.needed : null;
}

function isReadOnly(found: object): boolean {
  return (
    ('is_read_only' in found && found.is_read_only === true) ||
    ('is_thread_only' in found && found.is_thread_only === true)
  );
}
