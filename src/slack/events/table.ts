import type { CloseChannel, Closing } from '../../core/channels/close-channel.ts';
import type { ResumeChannel } from '../../core/channels/resume-channel.ts';
import type { SharedChannel } from '../../core/channels/shared-channel.ts';
import type { Channel, SlackPerson, Workspace } from '../../core/model/people.ts';

/** A Slack event addressed to this bot. */
type SlackEvent = {
  readonly workspace: Workspace;
  readonly event: Readonly<Record<string, unknown>>;
  readonly botUserId: string | null;
  readonly receivedAt: Date;
  /** When it happened by Slack's clock, at the end of that second, because Slack only reports whole seconds. */
  readonly at: Date;
};

export type EventDeps = {
  /** Returns a channel under the workspace where it is stored. */
  readonly homeOf: (channel: Channel) => Promise<Channel>;
  /** The bot can post in a channel again. */
  readonly resumeChannel: ResumeChannel;
  /** The bot can no longer post in a channel, or the channel is gone. */
  readonly closeChannel: CloseChannel;
  /** A channel was shared with another organization, or is no longer shared. */
  readonly sharedChannel: Pick<SharedChannel, 'shared' | 'unshared'>;
  /** A member left a channel. `at`: when, since they may be back by now. */
  readonly memberLeft: (channel: Channel, userId: string, at: Date) => Promise<void>;
  /** A channel's id changed. */
  readonly moveChannel: (channel: Channel, newChannelId: string) => Promise<void>;
  /** A person opened the Home tab. */
  readonly homeOpened: (person: SlackPerson) => Promise<void>;
  /** The bot was uninstalled from a workspace or from the workspace's organization. */
  readonly uninstalled: (workspace: Workspace, at: Date) => Promise<void>;
  /** An organization granted its installation access to workspaces, or revoked it. */
  readonly accessGranted: (workspaces: readonly Workspace[], at: Date) => Promise<void>;
  readonly accessRevoked: (workspaces: readonly Workspace[], at: Date) => Promise<void>;
};

/** Maps each Slack event type to its handler. */
export function eventTable(deps: EventDeps) {
  const inChannel =
    (handler: (channel: Channel, at: string, event: SlackEvent['event']) => Promise<void>) =>
    async ({ workspace, event, receivedAt }: SlackEvent): Promise<void> => {
      if (typeof event.channel !== 'string') return;
      const channel = await deps.homeOf({ ...workspace, channelId: event.channel });
      await handler(channel, timestampOf(event, receivedAt), event);
    };
  const closed = (closing: Closing) =>
    inChannel((channel, at) => deps.closeChannel.close(channel, closing, at));
  const open = (ended: Closing) => inChannel((channel, at) => deps.resumeChannel(channel, { ended, at }));
  const memberLeft = inChannel(async (channel, at, { user }) => {
    if (typeof user === 'string') await deps.memberLeft(channel, user, new Date(Number(at) * 1_000));
  });
  const deleted = inChannel((channel) => deps.closeChannel.remove(channel));

  return {
    app_home_opened: async ({ workspace, event }: SlackEvent) => {
      // Slack reports the Messages tab too.
      if (event.tab === 'home' && typeof event.user === 'string')
        await deps.homeOpened({ ...workspace, userId: event.user });
    },
    channel_id_changed: async ({ workspace, event }: SlackEvent) => {
      const { old_channel_id: from, new_channel_id: to } = event;
      if (typeof from === 'string' && typeof to === 'string')
        await deps.moveChannel(await deps.homeOf({ ...workspace, channelId: from }), to);
    },
    member_joined_channel: async (received: SlackEvent) => {
      if (received.event.user === received.botUserId) await open('out')(received);
    },
    member_left_channel: async (received: SlackEvent) => {
      await memberLeft(received);
      // Slack sends this one of the bot itself, too, in some workspaces without `channel_left`.
      if (received.event.user === received.botUserId) await closed('out')(received);
    },
    channel_left: closed('out'),
    group_left: closed('out'),
    channel_archive: closed('archived'),
    group_archive: closed('archived'),
    channel_unarchive: open('archived'),
    group_unarchive: open('archived'),
    channel_deleted: deleted,
    group_deleted: deleted,
    channel_shared: inChannel((channel, at) => deps.sharedChannel.shared(channel, at)),
    channel_unshared: inChannel((channel, at, { is_ext_shared: stillShared }) =>
      deps.sharedChannel.unshared(channel, typeof stillShared === 'boolean' ? stillShared : null, at),
    ),
    app_uninstalled: ({ workspace, at }: SlackEvent) => deps.uninstalled(workspace, at),
    tokens_revoked: async ({ workspace, event, at }: SlackEvent) => {
      if (revokesBot(event)) await deps.uninstalled(workspace, at);
    },
    team_access_granted: (received: SlackEvent) => deps.accessGranted(teamsIn(received), received.at),
    team_access_revoked: (received: SlackEvent) => deps.accessRevoked(teamsIn(received), received.at),
  } as const;
}

/** Returns the timestamp by which events are ordered: Slack's seconds with six decimals, or else the time of receipt. */
function timestampOf({ event_ts: at }: SlackEvent['event'], receivedAt: Date): string {
  return typeof at === 'string' && /^\d{1,12}(\.\d{1,9})?$/.test(at)
    ? at
    : String(receivedAt.getTime() / 1_000);
}

/** Whether the bot's own token was revoked. Users' tokens do not matter, since the bot never requests any. */
function revokesBot({ tokens }: SlackEvent['event']): boolean {
  const bot = typeof tokens === 'object' && tokens !== null && 'bot' in tokens ? tokens.bot : null;
  return Array.isArray(bot) && bot.length > 0;
}

/** Returns the workspaces named in an event about an organization's installation. */
function teamsIn({ workspace: { enterpriseId }, event: { team_ids: ids } }: SlackEvent): Workspace[] {
  const named = Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  return named.map((teamId) => ({ enterpriseId, teamId }));
}
