import type { Channel, User } from '../directory.ts';
import type { Fields } from '../json.ts';
import type { Message } from '../messages.ts';
import type { State } from '../state.ts';
import { stateValues, type View } from '../views.ts';

function messageForPage({ directory }: State, message: Message): Fields {
  const { botUserId } = directory.workspace(message.teamId);
  const author = directory.user(message.authorId ?? botUserId);
  return {
    id: message.id,
    ts: message.ts,
    threadTs: message.threadTs ?? null,
    channelId: message.channelId,
    ephemeral: message.viewerId !== undefined,
    author:
      message.via === 'slack'
        ? { name: 'Slackbot', isBot: true }
        : { id: author.id, name: author.realName, isBot: author.isBot },
    text: message.text,
    blocks: message.blocks,
    attachments: message.attachments,
    edits: message.edits.length,
    postedAt: message.postedAt,
    via: message.via,
  };
}

function viewForPage(view: View | undefined): Fields | null {
  if (view === undefined) return null;
  const { id, type, hash, title, submit, close, blocks, callbackId, errors } = view;
  return { id, type, hash, title, submit, close, blocks, callbackId, errors, values: stateValues(view) };
}

function channelForPage({ directory }: State, channel: Channel): Fields {
  const workspace = directory.workspace(channel.teamIds[0]);
  const { id, name, kind, isArchived, isExtShared, isReadOnly } = channel;
  return {
    id,
    name,
    kind,
    isArchived,
    isExtShared,
    isReadOnly,
    botIn: directory.botIsIn(channel, workspace),
    members: [...channel.members],
  };
}

function userForPage({
  id,
  name,
  realName,
  teamId,
  tz,
  isRestricted,
  isStranger,
  isAdmin,
  isBot,
  deleted,
}: User): Fields {
  return { id, name, realName, teamId, tz, isGuest: isRestricted, isStranger, isAdmin, isBot, deleted };
}

/** Guests and people of other organizations see only their own channels. */
function sees(viewer: User | undefined, { kind, members }: Channel): boolean {
  if (viewer !== undefined && members.has(viewer.id)) return true;
  return kind === 'public' && !viewer?.isStranger && !viewer?.isRestricted;
}

/**
 * Returns what one person sees on the screen, including the channel list and open modals.
 * @param channelId the open channel; if undefined, no messages are returned
 * @param userId the viewer; if undefined, no ephemeral messages and views are returned
 */
export function practiceState(
  state: State,
  { channelId, userId }: { channelId?: string; userId?: string },
): Fields {
  const { directory, messages, views } = state;
  const viewer = directory.users.get(userId ?? '');
  const channel = directory.channels.get(channelId ?? '');
  const shown = channel !== undefined && sees(viewer, channel) ? channel : undefined;
  const here = messages.all.filter(
    (message) => message.channelId === shown?.id && message.deletedAt === undefined,
  );
  const whose = {
    teamId:
      viewer !== undefined && directory.workspaces.has(viewer.teamId)
        ? viewer.teamId
        : (channel?.teamIds[0] ?? ''),
    userId: viewer?.id ?? '',
  };
  return {
    changes: state.changes.count(),
    workspaces: [...directory.workspaces.values()].map(({ teamId, name, tokenRefusal }) => ({
      teamId,
      name,
      installed: tokenRefusal === undefined,
    })),
    users: [...directory.users.values()].map(userForPage),
    channels: [...directory.channels.values()]
      .filter((candidate) => sees(viewer, candidate))
      .map((candidate) => channelForPage(state, candidate)),
    channel: shown === undefined ? null : channelForPage(state, shown),
    messages: here
      .filter(({ viewerId }) => viewerId === undefined)
      .map((message) => messageForPage(state, message)),
    ephemerals: here
      .filter(({ viewerId }) => viewerId !== undefined && viewerId === viewer?.id)
      .map((message) => messageForPage(state, message)),
    views: views.stackOf(whose).map(viewForPage),
    home: viewForPage(views.homeOf(whose)),
    violations: state.violations.list,
  };
}
