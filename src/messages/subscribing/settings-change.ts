import type { PersonName, TargetKind } from '../../core/model/subscription.ts';
import {
  contents,
  describeDelivery,
  describeFilters,
  describePing,
  type SubscriptionSettings,
} from '../text/copy.ts';
import { type Phrase, strong } from '../text/phrase.ts';

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
  const filters = ({ filters, names }: SubscriptionSettings) => describeFilters(filters, names);
  const inside = kind === 'document' ? contents.session : contents[kind];
  const extent = ({ comprehensive }: SettingsChange['after']): Phrase => [
    `${comprehensive ? 'with' : 'without'} its ${inside}`,
  ];
  const threads = (settings: SubscriptionSettings): Phrase => [settings.threads ? 'on' : 'off'];
  const row = (title: string, notify: (settings: SettingsChange['after']) => Phrase): Phrase => [
    `• ${title}: `,
    ...notify(after),
    ' (before: ',
    ...notify(before),
    ')',
  ];
  return [
    ...(before.comprehensive === after.comprehensive ? [] : [row('Scope', extent)]),
    ...(isSame(filtersKey(before), filtersKey(after)) ? [] : [row('Events', filters)]),
    ...(isSame(deliveryKey(before), deliveryKey(after))
      ? []
      : [row('Delivery', ({ delivery }) => describeDelivery(delivery))]),
    ...(before.threads === after.threads ? [] : [row('Threads', threads)]),
    ...(isSame(pingKey(before), pingKey(after))
      ? []
      : [row('Mentions', ({ ping, names }) => (ping ? describePing(ping, names) : ['nobody']))]),
    ...((before.name ?? null) === (after.name ?? null)
      ? []
      : [row('Name', ({ name }) => [name == null ? 'none' : strong(name)])]),
  ];
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

function isSame(before: readonly unknown[], after: readonly unknown[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
