/** What the bot cannot work without. Nothing with `history` in it: state is never rebuilt by reading Slack. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'channels:read',
  'groups:read',
  'users:read',
] as const;

/** What people may decline: posting to public channels without being invited, and linking and naming people by e-mail. */
export const optionalScopes = ['chat:write.public', 'users:read.email'] as const;
