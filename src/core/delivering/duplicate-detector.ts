import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';

/** Two notifications of one change come within this time. */
const sameChangeMs = 2_000;

/**
 * Says whether a change was told already on behalf of another subscription. Each telling covers each other subscription once, so
 * that two real changes that look alike are still two.
 */
export function makeDuplicateDetector(duplicates: readonly Duplicate[]): (event: WaitingEvent) => boolean {
  type Telling = { readonly by: string; readonly at: number; readonly covers: Set<string> };
  const tellings = new Map<string, Telling[]>();
  const notify = (fingerprint: string, by: string, at: number) => {
    const list = tellings.get(fingerprint) ?? [];
    list.push({ by, at, covers: new Set() });
    tellings.set(fingerprint, list);
  };
  const cover = (fingerprint: string, source: string, at: number): boolean => {
    const telling = tellings
      .get(fingerprint)
      ?.find(
        ({ by, at: told, covers }) =>
          by !== source && Math.abs(told - at) <= sameChangeMs && !covers.has(source),
      );
    telling?.covers.add(source);
    return telling !== undefined;
  };
  for (const duplicate of duplicates)
    if (!duplicate.isDuplicate) notify(duplicate.fingerprint, duplicate.source, timeOf(duplicate));
  for (const duplicate of duplicates)
    if (duplicate.isDuplicate) cover(duplicate.fingerprint, duplicate.source, timeOf(duplicate));

  return (event) => {
    const at = timeOf({ happenedAt: event.notification.happenedAt, receivedAt: event.receivedAt });
    if (cover(event.fingerprint, sourceOf(event), at)) return true;
    notify(event.fingerprint, sourceOf(event), at);
    return false;
  };
}

/**
 * Who told it: the record at the service. While a subscription is moved to another record there, both tell each change, and that is
 * one change all the same.
 */
function sourceOf({ notification, subscription }: WaitingEvent): string {
  return notification.serviceSubscriptionId ?? subscription.id;
}

function timeOf({ happenedAt, receivedAt }: { happenedAt: string | null; receivedAt: Date }): number {
  const told = happenedAt === null ? Number.NaN : Date.parse(happenedAt);
  return Number.isNaN(told) ? receivedAt.getTime() : told;
}
