import { idOf, type Ref } from '../directory.ts';
import { type SentEvent, sendEvent } from './event.ts';
import type { Stage } from './interaction.ts';

/** Invites the bot into a channel: it joins and is notified. */
export async function inviteBot(stage: Stage, channelRef: Ref, by: Ref): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  const { botUserId, teamId } = directory.workspace(channel.teamIds[0]);
  channel.members.add(botUserId);
  changes.notify();
  const kind = channel.kind === 'private' ? 'G' : 'C';
  const where = { channel: channel.id, channel_type: kind, team: teamId };
  return await sendEvent(stage, {
    type: 'member_joined_channel',
    user: botUserId,
    ...where,
    inviter: idOf(by),
  });
}

/** Removes the bot from a channel: it leaves and is notified. */
export async function removeBot(stage: Stage, channelRef: Ref, by: Ref): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  channel.members.delete(directory.workspace(channel.teamIds[0]).botUserId);
  changes.notify();
  const type = channel.kind === 'private' ? 'group_left' : 'channel_left';
  return await sendEvent(stage, { type, channel: channel.id, actor_id: idOf(by) });
}

/** Archives or unarchives a channel. */
export async function setArchived(
  stage: Stage,
  channelRef: Ref,
  { archived, by }: { archived: boolean; by: Ref },
): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  channel.isArchived = archived;
  changes.notify();
  const prefix = channel.kind === 'private' ? 'group' : 'channel';
  const type = `${prefix}_${archived ? 'archive' : 'unarchive'}`;
  return await sendEvent(stage, { type, channel: channel.id, user: idOf(by), is_moved: 0 });
}

/** Deletes a channel with everything in it. */
export async function deleteChannel(stage: Stage, channelRef: Ref, by: Ref): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  const [teamId] = channel.teamIds;
  directory.channels.delete(channel.id);
  changes.notify();
  if (channel.kind !== 'private') {
    return await sendEvent(stage, { type: 'channel_deleted', channel: channel.id }, { teamId });
  }
  const deleted = { date_deleted: Math.floor(stage.state.now() / 1000), actor_id: idOf(by) };
  return await sendEvent(stage, { type: 'group_deleted', channel: channel.id, ...deleted }, { teamId });
}

/**
 * Shares a channel with another workspace: within the organization if both belong to it, else externally. The other workspace does not have
 * to be in this Slack.
 */
export async function shareChannel(stage: Stage, channelRef: Ref, withTeam: string): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  const host = directory.workspace(channel.teamIds[0]);
  const other = directory.workspaces.get(withTeam);
  const isWithin = host.enterpriseId !== undefined && host.enterpriseId === other?.enterpriseId;
  if (isWithin) channel.isOrgShared = true;
  else channel.isExtShared = true;
  channel.sharedWith.add(withTeam);
  if (other !== undefined && !channel.teamIds.includes(withTeam)) channel.teamIds.push(withTeam);
  changes.notify();
  const inner = { type: 'channel_shared', connected_team_id: withTeam, channel: channel.id };
  return await sendEvent(stage, inner, { teamId: host.teamId });
}

/** Removes another workspace from a shared channel. */
export async function unshareChannel(stage: Stage, channelRef: Ref, withTeam: string): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  const host = directory.workspace(channel.teamIds[0]);
  channel.sharedWith.delete(withTeam);
  const [first, ...others] = channel.teamIds;
  channel.teamIds = [first, ...others.filter((teamId) => teamId !== withTeam)];
  const isInside = (teamId: string): boolean =>
    host.enterpriseId !== undefined && directory.workspaces.get(teamId)?.enterpriseId === host.enterpriseId;
  channel.isOrgShared = [...channel.sharedWith].some(isInside);
  channel.isExtShared = [...channel.sharedWith].some((teamId) => !isInside(teamId));
  changes.notify();
  const inner = {
    type: 'channel_unshared',
    previously_connected_team_id: withTeam,
    channel: channel.id,
    is_ext_shared: channel.isExtShared,
  };
  return await sendEvent(stage, inner, { teamId: host.teamId });
}

/** Opens the bot's Home tab or Messages tab. */
export async function openHome(
  stage: Stage,
  user: Ref,
  tab: 'home' | 'messages' = 'home',
): Promise<SentEvent> {
  const { directory, views } = stage.state;
  const person = directory.user(user);
  const { id } = directory.directChannel(person.teamId, person.id);
  const shown = views.homeOf({ teamId: person.teamId, userId: person.id });
  const view = shown === undefined ? {} : { view: { id: shown.id, hash: shown.hash, type: 'home' } };
  const inner = { type: 'app_home_opened', user: person.id, channel: id, tab, ...view };
  return await sendEvent(stage, inner, { teamId: person.teamId });
}

export interface UninstallInput {
  /** Which of the two events comes first. Default: `tokens_revoked`. */
  first?: 'tokens_revoked' | 'app_uninstalled' | undefined;
  /** Sends both without waiting for a response in between. */
  together?: boolean | undefined;
}

/**
 * Uninstalls the app from a workspace, or from an organization with all workspaces it was installed for: the token becomes invalid, and
 * both events are sent in the requested order. Slack guarantees none (docs: tokens_revoked).
 */
export async function uninstall(
  stage: Stage,
  teamId: string,
  { first = 'tokens_revoked', together = false }: UninstallInput = {},
): Promise<SentEvent[]> {
  const { directory, changes } = stage.state;
  const workspace = directory.workspace(teamId);
  for (const each of directory.installedWith(workspace)) each.tokenRefusal ??= 'account_inactive';
  changes.notify();
  const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: [workspace.botUserId] } };
  const gone = { type: 'app_uninstalled' };
  const order = first === 'tokens_revoked' ? [revoked, gone] : [gone, revoked];
  if (together) return await Promise.all(order.map((inner) => sendEvent(stage, inner, { teamId })));
  const sent: SentEvent[] = [];
  for (const inner of order) sent.push(await sendEvent(stage, inner, { teamId }));
  return sent;
}

/** Adds workspaces to an organization's installation, or removes them; the app is notified. */
export async function setAccess(stage: Stage, teamIds: string[], granted: boolean): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const [first, ...others] = teamIds.map((teamId) => directory.workspace(teamId));
  if (first === undefined) throw new Error('Specify a workspace.');
  for (const workspace of [first, ...others]) workspace.accessGranted = granted;
  changes.notify();
  const type = granted ? 'team_access_granted' : 'team_access_revoked';
  return await sendEvent(stage, { type, team_ids: teamIds }, { teamId: first.teamId });
}
