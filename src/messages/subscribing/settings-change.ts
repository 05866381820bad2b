import type { PersonName, TargetKind } from '../../core/model/subscription.ts';
import {
  describeDelivery,
  describeFilters,
  describePing,
  describeScope,
  type SubscriptionSettings,
} from '../text/copy.ts';
import { present } from '../text/message.ts';
import { type Phrase, say, strong } from '../text/phrase.ts';

/** The options of a subscription, before and after. */
export type SettingsChange = {
  readonly before: Options;
  readonly after: Options;
};

/** `name` is null if none is known. */
type Options = SubscriptionSettings & {
  readonly comprehensive: boolean;
  readonly name?: string | null | undefined;
};

/** Whether two settings differ in nothing that a person would notice. */
export function isSameSettings(change: SettingsChange): boolean {
  // The kind affects only the words.
  return differences(change, 'project').length === 0;
}

/** Returns each difference as a line of a list, with the previous value. `kind`: what the subscription follows. */
export function differences({ before, after }: SettingsChange, kind: TargetKind): readonly Phrase[] {
  const now = (value: Phrase, was: Phrase): Phrase => say`• Now ${value} (was: ${was})`;
  const scope = ({ comprehensive }: Options): Phrase =>
    kind === 'document' ? [] : [describeScope(kind, comprehensive)];
  const filters = (settings: Options) => describeFilters(settings.filters, settings.names);
  const mentions = ({ ping, names }: Options) => (ping ? describePing(ping, names) : say`nobody`);
  const differ = (keyOf: (settings: Options) => unknown) =>
    JSON.stringify(keyOf(before)) !== JSON.stringify(keyOf(after));
  return present<Phrase>([
    before.comprehensive !== after.comprehensive && now(scope(after), scope(before)),
    differ(filtersKey) && now(say`posting ${filters(after)}`, filters(before)),
    differ(deliveryKey) &&
      now(say`posting changes ${describeDelivery(after.delivery)}`, describeDelivery(before.delivery)),
    before.threads !== after.threads &&
      (after.threads
        ? say`• Later changes to an item now go into its thread`
        : say`• Later changes to an item no longer go into its thread`),
    differ(pingKey) && now(say`mentioning ${mentions(after)}`, mentions(before)),
    ...renamed(before.name ?? null, after.name ?? null),
  ]);
}

function renamed(before: string | null, after: string | null): Phrase[] {
  if (before === after) return [];
  if (after === null) return [say`• No longer called ${strong(before ?? '')}`];
  return [say`• Now called ${strong(after)}${before === null ? [] : say` (was: ${strong(before)})`}`];
}

/** Sorts the filters for comparison, because stored settings and forms list them in different orders. */
function filtersKey({ filters: { only, paths, by, notBy } }: SubscriptionSettings): readonly unknown[] {
  return [sorted(only), paths, sorted(by.map(personKey)), sorted(notBy.map(personKey))];
}

function sorted(keys: readonly string[]): readonly string[] {
  return keys.toSorted((a, b) => a.localeCompare(b));
}

function personKey(person: PersonName): string {
  return 'email' in person ? person.email.toLowerCase() : person.userId;
}

function pingKey({ ping }: SubscriptionSettings): readonly unknown[] {
  return ping ? [ping.kind, ping.id, sorted(ping.on)] : [];
}

function deliveryKey({ delivery }: SubscriptionSettings): readonly unknown[] {
  if (delivery.when === 'live') return [delivery.when];
  const except = sorted(delivery.except ?? []);
  if (delivery.when === 'hourly') return [delivery.when, except];
  const days = delivery.when === 'weekly' ? delivery.day : delivery.weekdays === true;
  return [delivery.when, delivery.at, delivery.zone, days, except];
}
