import type { Channel, ChannelKind } from '../directory.ts';
import { flagOf, stringOf } from '../json.ts';
import { ApiError, type ApiMethod, pageOf, reachChannel, requireScope } from './api-method.ts';
import { channelJson, messageJson } from './wire-format.ts';

const READ_SCOPES: Record<ChannelKind, string> = {
  public: 'channels:read',
  private: 'groups:read',
  im: 'im:read',
  mpim: 'mpim:read',
};

const HISTORY_SCOPES: Record<ChannelKind, string> = {
  public: 'channels:history',
  private: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
};

const info: ApiMethod = {
  tier: 3,
  run(call) {
    const { channel, workspace } = reachChannel(call, call.args.channel);
    requireScope(workspace, READ_SCOPES[channel.kind]);
    const count = flagOf(call.args.include_num_members) ? { num_members: channel.members.size } : {};
    return { channel: { ...channelJson(channel, workspace), ...count } };
  },
};

const members: ApiMethod = {
  tier: 4,
  run(call) {
    const { channel, workspace } = reachChannel(call, call.args.channel);
    requireScope(workspace, READ_SCOPES[channel.kind]);
    const { entries, response_metadata } = pageOf([...channel.members], call.args, { usual: 100, max: 1000 });
    return { members: entries, response_metadata };
  },
};

const join: ApiMethod = {
  scope: 'channels:join',
  tier: 3,
  run(call) {
    const { channel, workspace, botIsIn } = reachChannel(call, call.args.channel);
    if (channel.kind !== 'public') throw new ApiError('method_not_supported_for_channel_type');
    if (channel.isArchived) throw new ApiError('is_archived');
    channel.members.add(workspace.botUserId);
    call.state.changes.notify();
    return {
      channel: channelJson(channel, workspace),
      ...(botIsIn && {
        warning: 'already_in_channel',
        response_metadata: { warnings: ['already_in_channel'] },
      }),
    };
  },
};

const open: ApiMethod = {
  scope: 'im:write',
  tier: 3,
  run({ state, args, workspace }) {
    const [userId, ...others] = (stringOf(args.users) ?? '').split(',');
    if (others.length > 0) throw new ApiError('method_not_supported_for_channel_type');
    const user = state.directory.users.get(userId ?? '');
    if (user === undefined) throw new ApiError('user_not_found');
    if (user.isBot) throw new ApiError('cannot_dm_bot');
    const channel = state.directory.directChannel(workspace.teamId, user.id);
    return { channel: flagOf(args.return_im) ? channelJson(channel, workspace) : { id: channel.id } };
  },
};

const history: ApiMethod = {
  tier: 3,
  run(call) {
    const { args, state } = call;
    const { channel, workspace, botIsIn } = reachChannel(call, args.channel);
    requireScope(workspace, HISTORY_SCOPES[channel.kind]);
    if (!botIsIn) throw new ApiError('not_in_channel');
    const oldest = Number(args.oldest ?? 0);
    const latest = Number(args.latest ?? Number.POSITIVE_INFINITY);
    const found = state.messages.all.filter(
      ({ channelId, viewerId, deletedAt, threadTs, ts }) =>
        channelId === channel.id &&
        viewerId === undefined &&
        deletedAt === undefined &&
        threadTs === undefined &&
        Number(ts) >= oldest &&
        Number(ts) <= latest,
    );
    const { entries, response_metadata } = pageOf(found.toReversed(), args, { usual: 100, max: 999 });
    const messages = entries.map((message) => {
      const { metadata, ...rest } = messageJson(state, message);
      return flagOf(args.include_all_metadata) && metadata !== undefined ? { ...rest, metadata } : rest;
    });
    return { messages, has_more: response_metadata.next_cursor !== '', response_metadata };
  },
};

const KINDS: Record<string, ChannelKind> = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'im',
  mpim: 'mpim',
};

function kindsOf(types: unknown): ChannelKind[] {
  return (stringOf(types) ?? 'public_channel').split(',').map((type) => {
    const kind = KINDS[type.trim()];
    if (kind === undefined) throw new ApiError('invalid_types');
    return kind;
  });
}

/** Lists the conversations a person is in (without `user`: the bot is in), as far as the bot can see them. */
export const userConversations: ApiMethod = {
  tier: 2,
  run({ state, args, workspace }) {
    const kinds = kindsOf(args.types);
    for (const kind of kinds) requireScope(workspace, READ_SCOPES[kind]);
    const userId = stringOf(args.user) ?? workspace.botUserId;
    if (!state.directory.users.has(userId)) throw new ApiError('user_not_found');
    const shown = (channel: Channel): boolean =>
      channel.teamIds.includes(workspace.teamId) &&
      kinds.includes(channel.kind) &&
      channel.members.has(userId) &&
      (channel.kind === 'public' || channel.members.has(workspace.botUserId)) &&
      !(flagOf(args.exclude_archived) && channel.isArchived);
    const found = [...state.directory.channels.values()].filter(shown);
    const { entries, response_metadata } = pageOf(found, args, { usual: 100, max: 999 });
    return { channels: entries.map((channel) => channelJson(channel, workspace)), response_metadata };
  },
};

/** Lists the workspace's conversations that the bot can see: public ones, and private ones it is in. */
const list: ApiMethod = {
  tier: 2,
  run({ state, args, workspace }) {
    const kinds = kindsOf(args.types);
    for (const kind of kinds) requireScope(workspace, READ_SCOPES[kind]);
    const shown = (channel: Channel): boolean =>
      channel.teamIds.includes(workspace.teamId) &&
      kinds.includes(channel.kind) &&
      (channel.kind === 'public' || channel.members.has(workspace.botUserId)) &&
      !(flagOf(args.exclude_archived) && channel.isArchived);
    const found = [...state.directory.channels.values()].filter(shown);
    const { entries, response_metadata } = pageOf(found, args, { usual: 100, max: 1000 });
    return { channels: entries.map((channel) => channelJson(channel, workspace)), response_metadata };
  },
};

export const conversationMethods: Record<string, ApiMethod> = {
  'conversations.info': info,
  'conversations.list': list,
  'conversations.members': members,
  'conversations.join': join,
  'conversations.open': open,
  'conversations.history': history,
};
