import type { SubscribeRequest, TypedWhen } from '../model/request.ts';
import { withoutEmpty } from '../model/typed-settings.ts';

/** A request for something new without what is the default anyway: shorter to type, and the same. `usual`: when the workspace posts by default. */
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
