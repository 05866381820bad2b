import type { SubscribeRequest, TypedWhen } from '../model/request.ts';
import { withoutEmpty } from '../model/typed-settings.ts';

/** Removes defaults from a request for a new subscription, which makes it shorter to type. `usual`: when the workspace posts by default. */
export function brief(
  { filters, when, threads, ...request }: SubscribeRequest,
  usual: TypedWhen['when'],
): SubscribeRequest {
  return {
    ...request,
    filters: withoutEmpty(filters),
    when: when?.when === 'live' && usual === 'live' ? undefined : when,
    threads: threads || undefined,
  };
}
