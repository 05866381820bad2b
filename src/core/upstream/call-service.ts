import { later } from '../../lib/durations.ts';
import type { AccessTokenFor } from '../linking/access-tokens.ts';
import type { Clock } from '../model/clock.ts';
import { serviceFailure } from '../model/service-error.ts';

/**
 * Calls the service with a person's link. Returns `relink` if it no longer accepts their tokens; they have been asked to link again. Throws
 * the service's other errors.
 */
export type CallService = <T>(
  linkId: string,
  call: (accessToken: string) => Promise<T>,
) => Promise<T | 'relink'>;

/**
 * Returns whether the time is not over yet that the service has asked for (`Retry-After`) when it last failed with a link. Chores leave the
 * link alone until then; what a person asks for is tried anyway.
 */
export type IsResting = (linkId: string) => boolean;

/**
 * Makes `callService`, which renews a rejected token once and repeats the call (if it is rejected again, only linking again helps), and
 * `isResting`, which knows of this process's calls only.
 */
export function makeCallService({
  accessTokenFor,
  clock,
}: {
  readonly accessTokenFor: AccessTokenFor;
  readonly clock: Clock;
}): { readonly callService: CallService; readonly isResting: IsResting } {
  const restsUntil = new Map<string, Date>();

  const callOnce: CallService = async (linkId, call) => {
    const first = await accessTokenFor(linkId);
    if (first.outcome === 'relink') return 'relink';
    try {
      return await call(first.accessToken);
    } catch (error) {
      if (serviceFailure(error)?.kind !== 'unauthorized') throw error;
    }
    const second = await accessTokenFor(linkId, { refused: first.accessToken });
    return second.outcome === 'relink' ? 'relink' : call(second.accessToken);
  };

  return {
    callService: async (linkId, call) => {
      try {
        const called = await callOnce(linkId, call);
        restsUntil.delete(linkId);
        return called;
      } catch (error) {
        const seconds = serviceFailure(error)?.retryAfterSeconds;
        if (seconds) restsUntil.set(linkId, later(clock.now(), seconds * 1_000));
        throw error;
      }
    },

    isResting: (linkId) => {
      const until = restsUntil.get(linkId);
      return until !== undefined && until > clock.now();
    },
  };
}
