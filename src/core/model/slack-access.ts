/** Whether the bot can post to a conversation, or why not. `unknown`: Slack could not be asked. */
export type Postable =
  | 'yes'
  | 'not in private channel'
  | 'not in channel'
  | 'archived'
  | 'read-only'
  | 'direct message'
  | 'not installed'
  | 'unknown';

/** Features that need scopes which an installation can lack; the rest works without. `does`: reads on from "off in this workspace". */
export const optionalFeatures = {
  uninvited: { does: 'posting in public channels without an invitation', scopes: ['chat:write.public'] },
  emails: { does: 'matching people by email address', scopes: ['users:read.email'] },
  mentions: { does: 'answers to mentions', scopes: ['app_mentions:read'] },
  previews: { does: 'previews of links', scopes: ['links:read', 'links:write'] },
} as const;

export type OptionalFeature = keyof typeof optionalFeatures;

/** What is off in a workspace for lack of scopes. */
export type FeaturesOff = {
  readonly features: readonly OptionalFeature[];
  /** Where an admin installs the bot again. */
  readonly installUrl: string;
};
