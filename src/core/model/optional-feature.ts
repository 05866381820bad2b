/** A feature that needs a scope which an installation can lack: it is older than the feature, or an admin declined the scope. */
export type OptionalFeature = 'mentions' | 'previews';

/** What is off in a workspace for lack of scopes. */
export type FeaturesOff = {
  readonly features: readonly OptionalFeature[];
  /** Where an admin installs the bot again. */
  readonly installUrl: string;
};
