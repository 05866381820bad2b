import type { TypedWhen } from './request.ts';

/** Who of a workspace's full members may have a channel follow something, and change or remove that. Admins always may. */
export type Subscribers =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'admins' }
  | { readonly kind: 'people'; readonly userIds: readonly string[] };

/** What the admins of a workspace chose for all of it. */
export type WorkspaceSettings = {
  readonly subscribers: Subscribers;
  /** Projects that may be followed, with what is in them; empty for all. Sessions are not limited by it. */
  readonly projects: readonly string[];
  /** Whether activity messages start with the sign of what happened. */
  readonly signs: boolean;
  /** When new subscriptions post unless something else is asked for. */
  readonly delivery: TypedWhen;
  /** Whether channels that are shared with other organizations can be subscribed, after a question, or never. */
  readonly sharing: 'ask' | 'never';
  /** Days after which names, paths and e-mails of posted events are forgotten: 7 at most. */
  readonly detailsDays: number;
};

/** Without a shorter setting, what was posted can be listed again for so long. */
export const mostDetailsDays = 7;

/** What a workspace has as long as no admin changes it. */
export const defaultSettings: WorkspaceSettings = {
  subscribers: { kind: 'everyone' },
  projects: [],
  signs: true,
  delivery: { when: 'live' },
  sharing: 'ask',
  detailsDays: mostDetailsDays,
};
