/** What the bot cannot work without: commands, posting where it is a member, facts of channels, names and time zones of people. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'channels:read',
  'groups:read',
  'users:read',
] as const;

/** What an admin may refuse: posting to public channels without joining them, and knowing people by their e-mail. */
export const optionalScopes = ['chat:write.public', 'users:read.email'] as const;
