/** What the audit log calls each action. */
export type AuditAct =
  | 'link'
  | 'unlink'
  | 'subscribe'
  | 'change subscription'
  | 'unsubscribe'
  | 'pause subscription'
  | 'resume subscription'
  | 'mute'
  | 'unmute'
  | 'set quiet hours'
  | 'end quiet hours'
  | 'mute item'
  | 'skip person'
  | 'mute again'
  | 'show again'
  | 'change settings'
  | 'allowed request'
  | 'declined request'
  | 'replay dead letters'
  | 'show all in shared channel'
  | 'shorten in shared channel'
  | 'import subscriptions'
  | 'pause hidden subscriptions'
  | 'remove channel'
  | 'remove person';

/** What an action was about. `changes`: the title of each setting that it changed, with its words before and after. */
export type AuditDetail = {
  readonly changes?: readonly { readonly title: string; readonly before: string; readonly after: string }[];
  readonly events?: string;
};
