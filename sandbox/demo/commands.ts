/** The bot's slash commands as Slack suggests them while a person types, from the app's manifest. */
export const commands = [
  {
    name: '/subscribe',
    description: 'Subscribe this channel to a project, folder, file, session or document',
    usageHint: '[project 123-456-789 | a link] [only …] [in "…"] [by …] [digest …]',
  },
  { name: '/subscriptions', description: 'List this channel’s subscriptions', usageHint: '' },
  {
    name: '/unsubscribe',
    description: 'Remove a subscription from this channel',
    usageHint: '[project 123-456-789 | all]',
  },
  {
    name: '/plancast',
    description: 'Everything Plancast can do: help, your account, this channel',
    usageHint: 'help | subscribe … | link | settings | mute 2h | doctor | why | recap | …',
  },
] as const;

/** The bot's shortcuts, by `callback_id`: one beside the composer, the others in the menu of each message. */
export const shortcuts = {
  subscribe: { type: 'global', name: 'Subscribe a channel' },
  follow: { type: 'message', name: 'Follow this link' },
  why: { type: 'message', name: 'Why this message?' },
} as const;

export type ShortcutId = keyof typeof shortcuts;
