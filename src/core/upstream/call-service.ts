import type { AccessTokenFor } from '../linking/access-token.ts';
import { serviceFailure } from '../model/service-error.ts';

/** The result of a call in a person's name. `relink`: the service no longer accepts their tokens; they have been asked to link again. */
export type Called<T> = { readonly outcome: 'done'; readonly value: T } | { readonly outcome: 'relink' };

/** Calls the service in the name of a link; throws the service's error for everything but a token that is no longer taken. */
export type CallService = <T>(
  linkId: string,
  call: (accessToken: string) => Promise<T>,
) => Promise<Called<T>>;

/** A refused token is renewed once and the call made again; if it is refused again, only linking again helps. */
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
