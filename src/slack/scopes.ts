/** Scopes that the bot cannot work without. None of them reads history: state is never rebuilt from Slack. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'channels:read',
  'groups:read',
  'users:read',
] as const;

/** Scopes that can be declined: posting to public channels without an invitation, and linking and naming people by email. */
export const optionalScopes = ['chat:write.public', 'users:read.email'] as const;
