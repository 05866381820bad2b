/** Scopes that the bot cannot work without. None of them reads history: state is never rebuilt from Slack. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'channels:read',
  'groups:read',
  'users:read',
] as const;

/** Scopes that can be declined: posting to public channels without an invitation, linking and naming people by email, and `@Plancast`. */
export const optionalScopes = ['chat:write.public', 'users:read.email', 'app_mentions:read'] as const;
