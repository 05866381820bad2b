import { minuteMs } from '../../lib/durations.ts';
import * as channels from '../../store/tables/channels.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { Bot } from '../bot.ts';
import { isOfTypes } from '../model/filters.ts';
import { type Channel, isOfWorkspace } from '../model/people.ts';
import type { Mentioned } from '../model/subscription.ts';
import type { Turn, TurnPing } from './turn.ts';

/** For how long a subscription mentions nobody again, in milliseconds. */
const betweenPingsMs = 10 * minuteMs;

/** An event, why it is dropped if it is, and how it is posted if that is new. */
type Settled = {
  readonly event: WaitingEvent;
  readonly reason: string | null;
  readonly candidate: object | null;
};

/**
 * Returns whom a new message is to mention (CONTRACT, Mentions). A subscription whose event is posted for another one counts too: which of
 * the two the service reports first is chance.
 */
export function pingsFor(settled: readonly Settled[], now: Date): readonly TurnPing[] {
  const shown = new Map(
    settled.flatMap(({ event, candidate }) => (candidate ? [[event.fingerprint, event.seq] as const] : [])),
  );
  return settled.flatMap(({ event, reason, candidate }) => {
    const { notification, subscription, summary } = event;
    const { id, ping, pingedAt } = subscription;
    const isDuplicate = reason === 'covered' && summary === null;
    const seq = candidate ? event.seq : isDuplicate ? shown.get(event.fingerprint) : undefined;
    const isNamed = isOfTypes(notification, ping?.on);
    const isSoon = pingedAt !== null && now.getTime() - pingedAt.getTime() < betweenPingsMs;
    if (!ping || !isNamed || isSoon || seq === undefined) return [];
    return [{ seq, subscriptionId: id, mentioned: { kind: ping.kind, id: ping.id } }];
  });
}

/** Returns those that the channel may have: in one shared with another organization, people of this workspace only. */
export async function allowedPings(
  { db, slack }: Bot,
  lane: Channel,
  pings: readonly TurnPing[],
): Promise<readonly TurnPing[]> {
  if (pings.length === 0 || !(await channels.of(db, lane)).isShared) return pings;
  const allowed = pings.map(async ({ mentioned }) => {
    if (mentioned.kind === 'group') return false;
    const profile = slack.profileOf({ ...lane, userId: mentioned.id });
    // The message itself does not wait for Slack to say who somebody is.
    return profile.then(({ standing }) => isOfWorkspace(standing)).catch(() => false);
  });
  const isAllowed = await Promise.all(allowed);
  return pings.filter((_, index) => isAllowed[index]);
}

/** Returns the mentions for what is left of a turn. */
export function pingsOf({ pings, shown }: Turn): readonly TurnPing[] {
  return pings.filter(({ seq }) => shown.some(({ event }) => event.seq === seq));
}

/** Returns each person or group once. */
export function mentionedBy(turn: Turn): readonly Mentioned[] {
  return [...new Map(pingsOf(turn).map(({ mentioned }) => [mentioned.id, mentioned])).values()];
}
