import type { SubscribeRequest, TypedWhen } from '../model/request.ts';

/** A request for something new without what is the default anyway: shorter to type, and the same. `usual`: when the workspace posts by default. */
export function brief(
  { filters, when, threads, ...request }: SubscribeRequest,
  usual: TypedWhen['when'],
): SubscribeRequest {
  const some = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);
  return {
    ...request,
    filters: {
      only: some(filters.only),
      paths: some(filters.paths),
      by: some(filters.by),
      notBy: some(filters.notBy),
    },
    when: when?.when === 'live' && usual === 'live' ? undefined : when,
    threads: threads || undefined,
  };
}
