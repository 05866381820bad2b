import type { Channel, SlackPerson, Workspace } from '../../core/people.ts';

/** An event of Slack's that is for this bot. */
export type SlackEvent = {
  readonly workspace: Workspace;
  readonly event: Readonly<Record<string, unknown>>;
  readonly botUserId: string | null;
};

export type EventDeps = {
  /** The bot may post in a channel again. */
  readonly resumeChannel: (channel: Channel) => Promise<void>;
  /** A channel goes on under another id. */
  readonly moveChannel: (channel: Channel, newChannelId: string) => Promise<void>;
  /** Somebody looks at the Home tab. */
  readonly homeOpened: (person: SlackPerson) => Promise<void>;
  /** The bot was removed from a workspace. */
  readonly uninstalled: (workspace: Workspace) => Promise<void>;
};

/** What the bot does about each event of Slack's, by its type. */
export function eventTable(deps: EventDeps) {
  const resume = async ({ workspace, event }: SlackEvent): Promise<void> => {
    if (typeof event.channel === 'string')
      await deps.resumeChannel({ ...workspace, channelId: event.channel });
  };

  return {
    app_home_opened: async ({ workspace, event }: SlackEvent) => {
      // Slack tells of the Messages tab, too.
      if (event.tab === 'home' && typeof event.user === 'string')
        await deps.homeOpened({ ...workspace, userId: event.user });
    },
    channel_id_changed: async ({ workspace, event }: SlackEvent) => {
      const { old_channel_id: from, new_channel_id: to } = event;
      if (typeof from === 'string' && typeof to === 'string')
        await deps.moveChannel({ ...workspace, channelId: from }, to);
    },
    member_joined_channel: async (told: SlackEvent) => {
      if (told.event.user === told.botUserId) await resume(told);
    },
    channel_unarchive: resume,
    group_unarchive: resume,
    app_uninstalled: ({ workspace }: SlackEvent) => deps.uninstalled(workspace),
    tokens_revoked: async ({ workspace, event }: SlackEvent) => {
      if (revokesBot(event)) await deps.uninstalled(workspace);
    },
  } as const;
}

/** Slack names whose tokens were revoked; those of single people do not matter here, since the bot asks for none. */
function revokesBot({ tokens }: SlackEvent['event']): boolean {
  const bot = typeof tokens === 'object' && tokens !== null && 'bot' in tokens ? tokens.bot : null;
  return Array.isArray(bot) && bot.length > 0;
}
