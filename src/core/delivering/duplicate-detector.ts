import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';

/** Two notifications of one change come within this time. */
export const sameChangeMs = 2_000;

/**
 * Says whether a change was posted already for another subscription. Each post covers each other subscription once, so
 * that two real changes that look alike are still two.
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
 * Where it came from: the remote subscription. While a subscription is moved to another one, both notify of each change, and that is
 * one change all the same.
 */
function sourceOf({ notification, subscription }: WaitingEvent): string {
  return notification.serviceSubscriptionId ?? subscription.id;
}

function timeOf({ happenedAt, receivedAt }: { happenedAt: string | null; receivedAt: Date }): number {
  const happened = happenedAt === null ? Number.NaN : Date.parse(happenedAt);
  return Number.isNaN(happened) ? receivedAt.getTime() : happened;
}
