/** The Slack events the bot subscribes to. Only a message that mentions the bot carries what people write. */
export const events = [
  'app_mention',
  'app_home_opened',
  'app_uninstalled',
  'channel_archive',
  'channel_deleted',
  'channel_id_changed',
  'channel_left',
  'channel_shared',
  'channel_unarchive',
  'channel_unshared',
  'group_archive',
  'group_deleted',
  'group_left',
  'group_unarchive',
  'member_joined_channel',
  'member_left_channel',
  'team_access_granted',
  'team_access_revoked',
  'tokens_revoked',
] as const;

/** Sent only if the manifest names hosts: the links to them in every message of the workspace. */
export const linkEvents = ['link_shared'] as const;
