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
    usageHint: 'help | subscribe … | link | settings | mute 2h | doctor | why | …',
  },
] as const;

/** The bot's shortcuts: one beside the composer, one in the menu of each message. */
export const shortcuts = {
  global: { callbackId: 'subscribe', name: 'Subscribe a channel' },
  message: { callbackId: 'why', name: 'Why this message?' },
} as const;
