/** A slash command of the manifest, by its name without the slash. */
type CommandRow = {
  readonly description: string;
  readonly usageHint?: string | undefined;
  /** Another app in the workspace may use this name too, so an admin can rename it or leave it out. */
  readonly short: boolean;
};

export const commands: Readonly<Record<string, CommandRow>> = {
  subscribe: {
    description: 'Subscribe this channel to a project, folder, file, session or document',
    usageHint: '[project 123-456-789 | a link] [only …] [in "…"] [by …] [digest …]',
    short: true,
  },
  unsubscribe: {
    description: 'Remove a subscription from this channel',
    usageHint: '[project 123-456-789 | all]',
    short: true,
  },
  subscriptions: {
    description: 'List this channel’s subscriptions',
    short: true,
  },
  plancast: {
    description: 'Everything Plancast can do: help, your account, this channel',
    usageHint: 'help | subscribe … | link | settings | mute 2h | doctor | why | recap | …',
    short: false,
  },
};
