import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';

/** Two notifications of the same change are at most this many milliseconds apart. */
export const sameChangeMs = 2_000;

/**
 * Returns a function that says whether a change was already posted for another subscription. Each post covers each other subscription
 * only once, so two real changes that look alike both count.
 */
export function makeDuplicateDetector(duplicates: readonly Duplicate[]): (event: WaitingEvent) => boolean {
  type Posted = { readonly by: string; readonly at: number; readonly covers: Set<string> };
  const posts = new Map<string, Posted[]>();
  const note = (fingerprint: string, by: string, at: number) => {
    const list = posts.get(fingerprint) ?? [];
    list.push({ by, at, covers: new Set() });
    posts.set(fingerprint, list);
  };
  const cover = (fingerprint: string, source: string, at: number): boolean => {
    const post = posts
      .get(fingerprint)
      ?.find(
        ({ by, at: postedAt, covers }) =>
          by !== source && Math.abs(postedAt - at) <= sameChangeMs && !covers.has(source),
      );
    post?.covers.add(source);
    return post !== undefined;
  };
  for (const duplicate of duplicates)
    if (!duplicate.isDuplicate) note(duplicate.fingerprint, duplicate.source, timeOf(duplicate));
  for (const duplicate of duplicates)
    if (duplicate.isDuplicate) cover(duplicate.fingerprint, duplicate.source, timeOf(duplicate));

  return (event) => {
    const at = timeOf({ happenedAt: event.notification.happenedAt, receivedAt: event.receivedAt });
    if (cover(event.fingerprint, sourceOf(event), at)) return true;
    note(event.fingerprint, sourceOf(event), at);
    return false;
  };
}

/**
 * Returns the remote subscription that sent the event. While a subscription moves to another remote one, both notify of each change;
 * that is still one change.
 */
function sourceOf({ notification, subscription }: WaitingEvent): string {
  return notification.serviceSubscriptionId ?? subscription.id;
}

function timeOf({ happenedAt, receivedAt }: { happenedAt: string | null; receivedAt: Date }): number {
  const happened = happenedAt === null ? Number.NaN : Date.parse(happenedAt);
  return Number.isNaN(happened) ? receivedAt.getTime() : happened;
}
