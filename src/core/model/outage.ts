import { hourMs } from '../../lib/durations.ts';

/** A period in which no process of the bot sent a heartbeat. */
export type Outage = { readonly from: Date; readonly to: Date };

/** For this long after an outage its changes can still arrive: they wait in their lanes, or the service sends them again. */
const lateMs = hourMs;

/** Returns whether an event belongs to an outage: it was pending during it, or it happened then and could not be delivered. */
export function isOfOutage(
  outage: Outage | null,
  event: { readonly receivedAt: Date; readonly happenedAt: Date | null },
  now: Date,
): outage is Outage {
  if (outage === null || now.getTime() - outage.to.getTime() > lateMs) return false;
  const { receivedAt, happenedAt } = event;
  if (receivedAt < outage.to) return true;
  return happenedAt !== null && happenedAt >= outage.from && happenedAt < outage.to;
}
