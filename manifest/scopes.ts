/** Scopes the bot requires: commands, posting where it is a member, channel facts, people's names and time zones. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'channels:read',
  'groups:read',
  'users:read',
] as const;

/** Scopes an admin may decline: posting in public channels without joining them, identifying people by email, and answering mentions. */
export const optionalScopes = ['chat:write.public', 'users:read.email', 'app_mentions:read'] as const;

/** Further optional scopes, for previews of links. */
export const linkScopes = ['links:read', 'links:write'] as const;
