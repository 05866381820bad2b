import type { OptionalFeature } from '../core/model/optional-feature.ts';

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

/** Further optional scopes, for previews of links. */
export const linkScopes = ['links:read', 'links:write'] as const;

/** Returns the scopes that an admin is asked for. */
export function scopesWith({ previews }: { readonly previews: boolean }): readonly string[] {
  return [...requiredScopes, ...optionalScopes, ...(previews ? linkScopes : [])];
}

/** Returns which features are off in an installation for lack of scopes: it may be older than they are, or an admin has declined them. */
export function featuresOff(
  granted: readonly string[],
  { previews }: { readonly previews: boolean },
): readonly OptionalFeature[] {
  const lacks = (scope: string) => !granted.includes(scope);
  return [
    ...(lacks('app_mentions:read') ? ['mentions' as const] : []),
    ...(previews && linkScopes.some(lacks) ? ['previews' as const] : []),
  ];
}
