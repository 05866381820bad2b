import type { Channel, User, Workspace } from '../directory.ts';
import type { Fields } from '../json.ts';
import type { Message } from '../messages.ts';
import type { State } from '../state.ts';
import { stateValues, type View } from '../views.ts';

/** Returns a message as Slack serializes it in responses and payloads. */
export function messageJson(state: State, message: Message): Fields {
  const { botUserId, botId } = state.directory.workspace(message.teamId);
  const last = message.edits.at(-1);
  return {
    type: 'message',
    user: message.authorId ?? botUserId,
    ts: message.ts,
    ...(message.authorId === undefined && { bot_id: botId, app_id: state.app.appId }),
    text: message.text,
    team: message.teamId,
    blocks: message.blocks,
    ...(message.attachments.length > 0 && { attachments: message.attachments }),
    ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
    ...(last !== undefined &&
      message.blocks.length === 0 && {
        edited: { user: message.authorId ?? botUserId, ts: (last.until / 1000).toFixed(6) },
      }),
  };
}

/** Returns a view as Slack serializes it in responses and payloads. */
export function viewJson(state: State, view: View): Fields {
  return {
    id: view.id,
    team_id: view.teamId,
    type: view.type,
    blocks: view.blocks,
    private_metadata: view.privateMetadata,
    callback_id: view.callbackId,
    state: { values: stateValues(view) },
    hash: view.hash,
    title: view.title,
    clear_on_close: view.clearOnClose,
    notify_on_close: view.notifyOnClose,
    close: view.close,
    submit: view.submit,
    previous_view_id: view.previousViewId ?? null,
    root_view_id: view.rootViewId,
    app_id: state.app.appId,
    external_id: view.externalId,
    app_installed_team_id: view.teamId,
    bot_id: state.directory.workspace(view.teamId).botId,
  };
}

/** Returns a conversation as `conversations.info` shows it to the bot of `workspace`. */
export function channelJson(channel: Channel, workspace: Workspace): Fields {
  const isMember = channel.members.has(workspace.botUserId);
  const [host] = channel.teamIds;
  return {
    id: channel.id,
    name: channel.kind === 'im' ? undefined : channel.name,
    is_channel: channel.kind === 'public' || channel.kind === 'private',
    is_group: false,
    is_im: channel.kind === 'im',
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'public',
    is_archived: channel.isArchived,
    is_general: false,
    is_member: isMember,
    is_shared: channel.isExtShared || channel.isOrgShared,
    is_ext_shared: channel.isExtShared,
    is_org_shared: channel.isOrgShared,
    is_read_only: channel.isReadOnly,
    is_thread_only: channel.isThreadOnly,
    is_non_threadable: channel.isNonThreadable,
    context_team_id: workspace.teamId,
    conversation_host_id: host,
    previous_names: channel.previousNames,
    ...(channel.kind === 'im' && { user: [...channel.members].find((id) => id !== workspace.botUserId) }),
  };
}

/** Returns a person as `users.info` shows them to the bot of `workspace`. */
export function userJson(user: User, workspace: Workspace): Fields {
  const mayReadEmail = workspace.botScopes.includes('users:read.email') && !user.isStranger;
  return {
    id: user.id,
    team_id: user.teamId,
    name: user.name,
    deleted: user.deleted,
    real_name: user.realName,
    tz: user.tz,
    tz_offset: offsetSeconds(user.tz),
    is_admin: user.isAdmin,
    is_bot: user.isBot,
    is_restricted: user.isRestricted,
    is_ultra_restricted: user.isUltraRestricted,
    is_stranger: user.isStranger,
    profile: {
      real_name: user.realName,
      display_name: user.name,
      team: user.teamId,
      ...(mayReadEmail && user.email !== undefined && { email: user.email }),
    },
    ...(workspace.enterpriseId !== undefined && {
      enterprise_user: { id: user.id, enterprise_id: workspace.enterpriseId, teams: [user.teamId] },
    }),
  };
}

/** Returns the UTC offset in seconds at the start of 2026. Slack sends today's offset, which no caller should rely on. */
function offsetSeconds(timeZone: string): number {
  let name = '';
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const parts = format.formatToParts(Date.UTC(2026, 0, 1));
    name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  } catch {
    // Some of Slack's time zones are unknown to Node; tests assign those too.
  }
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
