/** A shortcut of the manifest, by its callback id. */
type ShortcutRow = {
  readonly name: string;
  /** `global` appears in the composer and in search, `message` in a message's menu. */
  readonly type: 'global' | 'message';
  readonly description: string;
};

export const shortcuts: Readonly<Record<string, ShortcutRow>> = {
  subscribe: {
    name: 'Subscribe a channel',
    type: 'global',
    description: 'Opens the form: what to subscribe to, in which channel, and which events to post',
  },
  follow: {
    name: 'Follow this link',
    type: 'message',
    description: 'Subscribes this channel to the project, session, file or folder that a message links to',
  },
  why: {
    name: 'Why this message?',
    type: 'message',
    description: 'Shows which subscription posted a Plancast message, and who created it',
  },
};
