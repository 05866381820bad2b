import { idOf, type Ref } from '../directory.ts';
import { type SentEvent, sendEvent } from './event.ts';
import type { Stage } from './interaction.ts';

/** A person invites the bot into a channel: it is in, and hears of it. */
export async function inviteBot(stage: Stage, channelRef: Ref, by: Ref): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  const { botUserId, teamId } = directory.workspace(channel.teamIds[0]);
  channel.members.add(botUserId);
  changes.tell();
  const kind = channel.kind === 'private' ? 'G' : 'C';
  const where = { channel: channel.id, channel_type: kind, team: teamId };
  return await sendEvent(stage, {
    type: 'member_joined_channel',
    user: botUserId,
    ...where,
    inviter: idOf(by),
  });
}

/** A person takes the bot out of a channel: it is out, and hears of it. */
export async function removeBot(stage: Stage, channelRef: Ref, by: Ref): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  channel.members.delete(directory.workspace(channel.teamIds[0]).botUserId);
  changes.tell();
  const type = channel.kind === 'private' ? 'group_left' : 'channel_left';
  return await sendEvent(stage, { type, channel: channel.id, actor_id: idOf(by) });
}

/** A person archives a channel, or takes it out of the archive. */
export async function setArchived(
  stage: Stage,
  channelRef: Ref,
  { archived, by }: { archived: boolean; by: Ref },
): Promise<SentEvent> {
  const { directory, changes } = stage.state;
  const channel = directory.channel(channelRef);
  channel.isArchived = archived;
  changes.tell();
  const prefix = channel.kind === 'private' ? 'group' : 'channel';
  const type = `${prefix}_${archived ? 'archive' : 'unarchive'}`;
  return await sendEvent(stage, { type, channel: channel.id, user: idOf(by), is_moved: 0 });
}

/** A person opens the bot's Home tab, or its messages. */
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

/**
 * The app is taken off a workspace: its token is worthless, and both events come, in the order asked for. Slack
 * promises none (docs: tokens_revoked).
 */
export async function uninstall(
  stage: Stage,
  teamId: string,
  { first = 'tokens_revoked' }: { first?: 'tokens_revoked' | 'app_uninstalled' } = {},
): Promise<SentEvent[]> {
  const workspace = stage.state.directory.workspace(teamId);
  workspace.tokenRefusal ??= 'account_inactive';
  stage.state.changes.tell();
  const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: [workspace.botUserId] } };
  const gone = { type: 'app_uninstalled' };
  const order = first === 'tokens_revoked' ? [revoked, gone] : [gone, revoked];
  const sent: SentEvent[] = [];
  for (const inner of order) sent.push(await sendEvent(stage, inner, { teamId }));
  return sent;
}
