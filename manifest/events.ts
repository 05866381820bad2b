/** The events of Slack that the bot asks for. None of them carries what people write. */
export const events = [
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
  'tokens_revoked',
] as const;
