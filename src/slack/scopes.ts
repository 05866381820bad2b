import { type OptionalFeature, optionalFeatures } from '../core/model/slack-access.ts';

/** Scopes that the bot cannot work without. None of them reads history: state is never rebuilt from Slack. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'channels:read',
  'groups:read',
  'users:read',
] as const;

/** Whether links are previewed: only where the admin gave addresses of the service. */
type ScopeOptions = { readonly previews: boolean };

/** Returns the scopes that an admin is asked for. */
export function scopesWith(options: ScopeOptions): readonly string[] {
  return [...requiredScopes, ...optionalScopes(options)];
}

/** Returns the scopes that an admin can decline. */
export function optionalScopes(options: ScopeOptions): readonly string[] {
  return featuresOff([], options).flatMap((feature) => optionalFeatures[feature].scopes);
}

/** Returns which features are off in an installation for lack of scopes. */
export function featuresOff(
  granted: readonly string[],
  { previews }: ScopeOptions,
): readonly OptionalFeature[] {
  const all = Object.keys(optionalFeatures) as OptionalFeature[];
  return all
    .filter((feature) => feature !== 'previews' || previews)
    .filter((feature) => optionalFeatures[feature].scopes.some((scope) => !granted.includes(scope)));
}
