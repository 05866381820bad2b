import { type OptionalFeature, optionalFeatures } from '../../core/model/slack-access.ts';

/** Lists what is off in an installation, and which scopes it takes. */
export function describeFeatures(features: readonly OptionalFeature[]): string {
  return features
    .map((feature) => optionalFeatures[feature])
    .map(({ does, scopes }) => `${does} (${scopes.join(', ')})`)
    .join(', ');
}
