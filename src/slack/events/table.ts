import type { Channel, Workspace } from '../../core/people.ts';

/** An event of Slack's that is for this bot. */
export type SlackEvent = {
  readonly workspace: Workspace;
  readonly event: Readonly<Record<string, unknown>>;
  readonly botUserId: string | null;
};

export type EventDeps = {
  /** The bot may post in a channel again. */
  readonly resumeChannel: (channel: Channel) => Promise<void>;
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
