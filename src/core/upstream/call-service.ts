import type { AccessTokenFor } from '../linking/access-token.ts';
import { serviceFailure } from '../model/service-error.ts';

/**
 * Calls the service with a person's link. Returns `relink` if it no longer accepts their tokens; they have been asked to link again. Throws
 * the service's other errors.
 */
export type CallService = <T>(
  linkId: string,
  call: (accessToken: string) => Promise<T>,
) => Promise<T | 'relink'>;

/** Renews a rejected token once and repeats the call. If it is rejected again, only linking again helps. */
export function makeCallService(deps: { readonly accessTokenFor: AccessTokenFor }): CallService {
  return async (linkId, call) => {
    const first = await deps.accessTokenFor(linkId);
    if (first.outcome === 'relink') return 'relink';
    try {
      return await call(first.accessToken);
    } catch (error) {
      if (serviceFailure(error)?.kind !== 'unauthorized') throw error;
    }
    const second = await deps.accessTokenFor(linkId, { refused: first.accessToken });
    return second.outcome === 'relink' ? 'relink' : call(second.accessToken);
  };
}
