import type { AccessTokenFor } from '../linking/access-token.ts';
import { serviceFailure } from '../model/service-error.ts';

/**
 * The result of a call made with a person's link. `relink`: the service no longer accepts their tokens; they have been asked to link
 * again.
 */
export type Called<T> = { readonly outcome: 'done'; readonly value: T } | { readonly outcome: 'relink' };

/** Calls the service with a link's token. Throws the service's error, unless the token is no longer accepted. */
export type CallService = <T>(
  linkId: string,
  call: (accessToken: string) => Promise<T>,
) => Promise<Called<T>>;

/** Renews a rejected token once and repeats the call. If it is rejected again, only linking again helps. */
export function makeCallService(deps: { readonly accessTokenFor: AccessTokenFor }): CallService {
  return async (linkId, call) => {
    const first = await deps.accessTokenFor(linkId);
    if (first.outcome === 'relink') return first;
    try {
      return { outcome: 'done', value: await call(first.accessToken) };
    } catch (error) {
      if (serviceFailure(error)?.kind !== 'unauthorized') throw error;
    }
    const second = await deps.accessTokenFor(linkId, { refused: first.accessToken });
    if (second.outcome === 'relink') return second;
    return { outcome: 'done', value: await call(second.accessToken) };
  };
}
