import { refusedBlocks } from '../block-kit.ts';
import { type Content, problemLines, readContent, saysSomething } from '../content.ts';
import type { Channel, Workspace } from '../directory.ts';
import { findElements } from '../find-elements.ts';
import { fieldsOf, flagOf, stringOf } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message } from '../messages.ts';
import { urlsIn } from '../people/write.ts';
import {
  ApiError,
  type ApiMethod,
  type MethodCall,
  type ReachedChannel,
  reachChannel,
  requireTaken,
} from './api-method.ts';
import { messageJson } from './wire-format.ts';

/**
 * Reads the content of a call; records as offenses what is wrong with it.
 * @throws ApiError with Slack's error code
 */
function contentOf({ state, method, args, workspace }: MethodCall): Content {
  const { teamId } = workspace;
  const content = readContent(args);
  if ('error' in content) {
    const sentence = content.problems.map(({ sentence: line, pointer }) => `${pointer}: ${line}`).join(' ');
    const kind = content.error === 'msg_too_long' ? 'text-too-long' : 'blocks';
    state.violations.add({ kind, method, sentence: sentence || content.error, teamId });
    throw new ApiError(content.error, {
      errors: content.problems.map(({ sentence: line }) => line),
      response_metadata: { messages: problemLines(content.problems) },
    });
  }
  requireTaken(refusedBlocks(content.blocks, workspace.refusedBlocks, '/blocks'));
  const silent = stringOf(content.text) === undefined && stringOf(args.markdown_text) === undefined;
  if (silent && saysSomething(content)) {
    state.violations.add({
      kind: 'text-missing',
      method,
      sentence: 'The message has no text beside its blocks.',
      teamId,
    });
  }
  const length = content.text?.length ?? 0;
  if (length > limits.text) {
    state.violations.add({
      kind: 'text-too-long',
      method,
      sentence: `The text has ${length} characters.`,
      teamId,
    });
  }
  return content;
}

/** Returns the channel a message goes to. A user id stands for the direct messages with that user. */
function targetOf(call: MethodCall): ReachedChannel {
  const { state, args, workspace } = call;
  const user = typeof args.channel === 'string' ? state.directory.users.get(args.channel) : undefined;
  if (user === undefined) return reachChannel(call, args.channel);
  if (user.deleted) throw new ApiError('channel_not_found');
  if (user.isBot) throw new ApiError('cannot_dm_bot');
  return { channel: state.directory.directChannel(workspace.teamId, user.id), workspace, botIsIn: true };
}

function requireOpen(
  { isArchived, isReadOnly, isThreadOnly, isNonThreadable }: Channel,
  threadTs?: string,
): void {
  if (isArchived) throw new ApiError('is_archived');
  if (isReadOnly) throw new ApiError('restricted_action_read_only_channel');
  if (isThreadOnly && threadTs === undefined) throw new ApiError('restricted_action_thread_only_channel');
  if (isNonThreadable && threadTs !== undefined)
    throw new ApiError('restricted_action_non_threadable_channel');
}

function requireWayIn({ botIsIn, workspace }: ReachedChannel): void {
  if (!botIsIn && !workspace.botScopes.includes('chat:write.public')) throw new ApiError('not_in_channel');
}

function requireThread({ state }: MethodCall, channelId: string, threadTs: string): void {
  const parent = state.messages.find(channelId, threadTs);
  if (parent === undefined) throw new ApiError('thread_not_found');
  if (parent.threadTs !== undefined) throw new ApiError('cannot_reply_to_message');
}

const postMessage: ApiMethod = {
  scope: 'chat:write',
  posts: true,
  run(call) {
    const { state, args } = call;
    const reached = targetOf(call);
    const { channel, workspace } = reached;
    const threadTs = stringOf(args.thread_ts);
    requireWayIn(reached);
    requireOpen(channel, threadTs);
    const content = contentOf(call);
    if (!saysSomething(content)) throw new ApiError('no_text');
    if (threadTs !== undefined) requireThread(call, channel.id, threadTs);
    const message = state.messages.post({
      teamId: workspace.teamId,
      channelId: channel.id,
      content,
      threadTs,
      via: 'chat.postMessage',
      unfurlLinks: args.unfurl_links === undefined ? undefined : flagOf(args.unfurl_links),
      unfurlMedia: args.unfurl_media === undefined ? undefined : flagOf(args.unfurl_media),
      parse: args.parse,
      linkNames: flagOf(args.link_names),
    });
    return { channel: channel.id, ts: message.ts, message: messageJson(state, message) };
  },
};

function requireMessage(call: MethodCall): Message {
  const { channel } = reachChannel(call, call.args.channel);
  const message = call.state.messages.find(channel.id, String(call.args.ts));
  if (message === undefined) throw new ApiError('message_not_found');
  return message;
}

function wrote(message: Message, workspaces: Workspace[]): boolean {
  return workspaces.some(({ teamId }) => teamId === message.teamId);
}

const update: ApiMethod = {
  scope: 'chat:write',
  tier: 3,
  run(call) {
    const { state } = call;
    const message = requireMessage(call);
    if (!wrote(message, call.workspaces)) throw new ApiError('cant_update_message');
    if (state.directory.channel(message.channelId).isArchived) throw new ApiError('is_archived');
    const content = contentOf(call);
    const clears = content.blocks !== undefined || content.attachments !== undefined;
    if (!saysSomething(content) && !clears) throw new ApiError('no_text');
    if ((content.text?.length ?? 0) > limits.text) throw new ApiError('msg_too_long');
    state.messages.edit(message, content);
    const { channelId, ts, text } = message;
    return { channel: channelId, ts, text, message: messageJson(state, message) };
  },
};

const remove: ApiMethod = {
  scope: 'chat:write',
  tier: 3,
  run(call) {
    const message = requireMessage(call);
    if (!wrote(message, call.workspaces)) throw new ApiError('cant_delete_message');
    call.state.messages.remove(message);
    return { channel: message.channelId, ts: message.ts };
  },
};

const postEphemeral: ApiMethod = {
  scope: 'chat:write',
  tier: 4,
  run(call) {
    const { state, args } = call;
    const { channel, workspace, botIsIn } = reachChannel(call, args.channel);
    if (!botIsIn) throw new ApiError('not_in_channel');
    if (channel.isArchived) throw new ApiError('is_archived');
    const user = state.directory.users.get(String(args.user));
    if (user === undefined || user.deleted || !channel.members.has(user.id))
      throw new ApiError('user_not_in_channel');
    const content = contentOf(call);
    if (!saysSomething(content)) throw new ApiError('no_text');
    const message = state.messages.post({
      teamId: workspace.teamId,
      channelId: channel.id,
      viewerId: user.id,
      content,
      threadTs: stringOf(args.thread_ts),
      via: 'chat.postEphemeral',
      parse: args.parse,
      linkNames: flagOf(args.link_names),
    });
    return { message_ts: message.ts };
  },
};

/**
 * Returns the message whose links are to be previewed: by `unfurl_id` and `source`, or by `channel` and `ts` where the bot sees the channel.
 * @throws ApiError with Slack's error code
 */
function previewedMessage(call: MethodCall): Message | undefined {
  const { state, args } = call;
  if (args.unfurl_id !== undefined && args.source !== undefined) {
    if (!state.unfurls.has(String(args.unfurl_id))) throw new ApiError('cannot_unfurl_message');
    return state.unfurls.get(String(args.unfurl_id));
  }
  const channel = state.directory.channels.get(String(args.channel));
  if (channel === undefined || !state.directory.botIsIn(channel, call.workspace))
    throw new ApiError('cannot_find_channel');
  return state.messages.find(channel.id, String(args.ts));
}

const unfurl: ApiMethod = {
  scope: 'links:write',
  tier: 3,
  run(call) {
    const { state, method, args, workspace } = call;
    const message = previewedMessage(call);
    const previews = new Map(
      Object.entries(fieldsOf(args.unfurls)).map(([url, shown]) => [url, fieldsOf(shown)]),
    );
    const urls = message === undefined ? [...previews.keys()] : urlsIn(message.text);
    if (message?.deletedAt !== undefined || [...previews.keys()].some((url) => !urls.includes(url)))
      throw new ApiError('cannot_unfurl_message');
    const read = [...previews].map(
      ([url, { blocks }]) => [url, contentOf({ ...call, args: { text: url, blocks } })] as const,
    );
    // Reported in slackapi/java-slack-sdk#1038: buttons work in previews, selects do not.
    const selects = read
      .flatMap(([, { blocks }]) => findElements(blocks))
      .filter(({ element }) => element.type !== 'button');
    if (selects.length > 0) {
      state.violations.add({
        kind: 'blocks',
        method,
        sentence: 'A preview holds a select.',
        teamId: workspace.teamId,
      });
      throw new ApiError('invalid_blocks');
    }
    if (message !== undefined) {
      state.messages.preview(message, new Map(read.map(([url, { blocks }]) => [url, blocks ?? []])));
    }
    return {};
  },
};

const getPermalink: ApiMethod = {
  run(call) {
    const { channel, workspace } = reachChannel(call, call.args.channel);
    const ts = String(call.args.message_ts);
    if (call.state.messages.find(channel.id, ts) === undefined) throw new ApiError('message_not_found');
    const permalink = `https://${workspace.domain}.slack.com/archives/${channel.id}/p${ts.replace('.', '')}`;
    return { channel: channel.id, permalink };
  },
};

/** Returns the channel that a call of `chat.postMessage` counts against, even if a user id was given. */
export function countedChannel({ state, args, workspace }: Omit<MethodCall, 'method'>): string {
  const user = state.directory.users.get(String(args.channel));
  if (user === undefined || user.isBot) return String(args.channel);
  return state.directory.directChannel(workspace.teamId, user.id).id;
}

export const chatMethods: Record<string, ApiMethod> = {
  'chat.postMessage': postMessage,
  'chat.update': update,
  'chat.delete': remove,
  'chat.postEphemeral': postEphemeral,
  'chat.unfurl': unfurl,
  'chat.getPermalink': getPermalink,
};
