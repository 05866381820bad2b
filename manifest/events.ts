/** The events of Slack that the bot asks for. None of them carries what people write. */
export const events = [
  'app_home_opened',
  'app_uninstalled',
  'channel_id_changed',
  'channel_unarchive',
  'group_unarchive',
  'member_joined_channel',
  'tokens_revoked',
] as const;
