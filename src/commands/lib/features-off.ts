import type { OptionalFeature } from '../../core/model/optional-feature.ts';

const sentences: Readonly<Record<OptionalFeature, string>> = {
  mentions: 'the bot does not answer mentions (app_mentions:read)',
  previews: 'links get no previews (links:read, links:write)',
};

/** Says what is off in an installation, and which scopes it takes. */
export function describeFeatures(features: readonly OptionalFeature[]): string {
  return features.map((feature) => sentences[feature]).join(', and ');
}
