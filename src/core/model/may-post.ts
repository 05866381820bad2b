/** Whether the bot can post to a conversation, or why not. `unknown`: Slack could not be asked. */
export type Postable =
  | 'yes'
  | 'not in private channel'
  | 'not in channel'
  | 'archived'
  | 'read-only'
  | 'direct message'
  | 'not installed'
  | 'unknown';
