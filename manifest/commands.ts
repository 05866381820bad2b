/** A slash command of the manifest, by its name without the slash. */
type CommandRow = {
  readonly description: string;
  readonly usageHint?: string | undefined;
  /** Another app in the workspace may use this name too, so an admin can rename it or leave it out. */
  readonly short: boolean;
};

export const commands: Readonly<Record<string, CommandRow>> = {
  subscribe: {
    description: 'Follow a project, folder, file, session or document in this channel',
    usageHint: '[project 123-456-789 | a link] [only …] [in "…"] [by …] [digest …]',
    short: true,
  },
  unsubscribe: {
    description: 'Stop following something in this channel',
    usageHint: '[project 123-456-789 | all]',
    short: true,
  },
  subscriptions: {
    description: 'List what this channel follows',
    short: true,
  },
  plancast: {
    description: 'Everything Plancast can do: help, your account, this channel',
    usageHint: 'help | subscribe … | link | settings | mute 2h | doctor | why | …',
    short: false,
  },
};
