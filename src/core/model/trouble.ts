import type { Health } from './subscription.ts';

/** What keeps a subscription from posting what people expect, whatever the service does. */
export type Trouble =
  /** The service does not say which folder or file its changes are about, so none can be posted. */
  | { readonly kind: 'places' }
  /** Its paths excluded all of the last `count` changes. */
  | { readonly kind: 'unmatched'; readonly count: number }
  /** An earlier release allowed more or longer paths. */
  | { readonly kind: 'too many paths' };

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
