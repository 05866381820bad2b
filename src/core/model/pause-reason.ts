import type { Health, SubscriptionState } from './subscription.ts';

/** Why the bot cannot post to a channel. */
export const channelReasons = [
  'not in channel',
  'channel archived',
  'posting restricted',
  'workspace access',
] as const;
export type ChannelReason = (typeof channelReasons)[number];

/**
 * Slack's errors for a token that is not valid in the workspace, and our own where there is none. `invalid_auth` may also come from an IP allow
 * list: none deletes anything.
 */
export const workspaceErrors = [
  'not_installed',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'missing_scope',
  'access_denied',
  'accesslimited',
  'team_access_not_granted',
  'enterprise_is_restricted',
  'two_factor_setup_required',
  'not_allowed_token_type',
] as const;

/** Reasons that concern the owner's link or account: a working link ends the pause, whether the owner's or another person's. */
export const ownerReasons = [
  'link lost',
  'unlinked',
  'owner gone',
  'no access',
  'not sent any more',
] as const;
export type OwnerReason = (typeof ownerReasons)[number];

/** The reason of a pause that a member set. */
export const pausedByPerson = 'by a person';

/** Why a subscription is paused. */
export type PauseReason = ChannelReason | OwnerReason | typeof pausedByPerson;

const pauseReasons: readonly PauseReason[] = [...channelReasons, ...ownerReasons, pausedByPerson];

type StateAndReason = { readonly state: SubscriptionState; readonly reason: string | null };

/** Returns why a row is paused; null if it is not. */
export function pauseReasonOf({ state, reason }: StateAndReason): PauseReason | null {
  return state === 'paused' ? (pauseReasons.find((known) => known === reason) ?? null) : null;
}

/** Returns whether a pause reason is about the channel. */
export function isChannelReason(reason: string | null): reason is ChannelReason {
  return channelReasons.some((known) => known === reason);
}

/** Returns whether a row is paused because of its owner. */
export function waitsForOwner({ state, reason }: StateAndReason): boolean {
  return state === 'paused' && isOwnerReason(reason);
}

/** Returns whether a pause reason is about the owner. */
export function isOwnerReason(reason: string | null): reason is OwnerReason {
  return ownerReasons.some((known) => known === reason);
}

/** Returns whether a member paused a row. */
export function isPausedByPerson({ state, reason }: StateAndReason): boolean {
  return state === 'paused' && reason === pausedByPerson;
}

/** What keeps a subscription from posting what people expect, whatever the service does. */
export type Trouble =
  /** The service does not say which folder or file its changes are about, so none can be posted. */
  | { readonly kind: 'places' }
  /** Its paths excluded all of the last `count` changes. */
  | { readonly kind: 'unmatched'; readonly count: number };

/** What the last checks found wrong with the remote subscription. */
export type RemoteTrouble =
  /** The service's own word for its state is not the usual one. */
  | { readonly kind: 'odd'; readonly status: string }
  /** It is not as it should be, and could not be repaired. */
  | { readonly kind: 'not repaired' };

/** How many checks in a row must find something wrong with a remote subscription: the first may only have come too early. */
export const checksToWarn = 2;

/** Returns what the last checks found wrong with the remote subscription, if anything. */
export function remoteTrouble(health: Health | null): RemoteTrouble | undefined {
  const { status = null, oddChecks = 0, failedChecks = 0 } = health ?? {};
  if (status !== null && oddChecks >= checksToWarn) return { kind: 'odd', status };
  return failedChecks >= checksToWarn ? { kind: 'not repaired' } : undefined;
}
