import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRequest } from '../../../src/core/model/format-request.ts';
import type { SubscribeRequest, TypedWhen } from '../../../src/core/model/request.ts';
import {
  type Delivery,
  daysOfWeek,
  eventTypes,
  type Filters,
  type PersonName,
  type Ping,
} from '../../../src/core/model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../../../src/core/model/typed-settings.ts';
import { brief } from '../../../src/core/subscribing/brief.ts';
import { parseTyped } from '../../../src/slack/grammar/parse-command.ts';
import { manyRuns } from '../../support/many-runs.ts';

const zone = 'Europe/Oslo';
const target = { kind: 'project', projectId: '412-873-550' } as const;
const types = () => fc.subarray([...eventTypes], { maxLength: 2 });
const except = fc.subarray([...eventTypes], { minLength: 1, maxLength: 2 });
const anyTyped: fc.Arbitrary<TypedWhen> = fc.oneof(
  fc.constant({ when: 'live' as const }),
  fc.record({ when: fc.constant('hourly' as const), except }, { requiredKeys: ['when'] }),
  fc.record(
    {
      when: fc.constant('daily' as const),
      at: fc.constantFrom('00:00', '09:15', '23:59'),
      weekdays: fc.constant(true as const),
      except,
    },
    { requiredKeys: ['when', 'at'] },
  ),
  fc.record(
    {
      when: fc.constant('weekly' as const),
      day: fc.constantFrom(...daysOfWeek),
      at: fc.constant('16:30'),
      except,
    },
    { requiredKeys: ['when', 'day', 'at'] },
  ),
);
const anyDelivery: fc.Arbitrary<Delivery> = anyTyped.map((when) => ('at' in when ? { ...when, zone } : when));
const anyPaths = fc.uniqueArray(fc.constantFrom('Plans/**', '!**/*.bak', 'a "b" c', '!"x"', 'in', '{a,b}?'));
const people: readonly PersonName[] = [
  { userId: 'U0SAM0001' },
  { email: 'lee@example.com' },
  { email: "o'neil@example.com" },
];
const anyFilters: fc.Arbitrary<Filters> = fc
  .record({ only: types(), paths: anyPaths, people: fc.subarray([...people]), cut: fc.nat(3) })
  .map(({ only, paths, people: who, cut }) => ({
    only,
    paths,
    by: who.slice(0, cut),
    notBy: who.slice(cut),
  }));
const anyName: fc.Arbitrary<string> = fc.constantFrom('Harbour Tower', 'to me', 'a "quoted" name', 'live');
const anyPing: fc.Arbitrary<Ping> = fc.constantFrom(
  { kind: 'user', id: 'U0SAM0001', on: ['delete'] },
  { kind: 'group', id: 'S0DESIGN', name: 'designers', on: ['create', 'delete'] },
);
const anySettings = fc.record({
  ping: fc.option(anyPing),
  filters: anyFilters,
  delivery: anyDelivery,
  threads: fc.boolean(),
  typedName: fc.option(anyName),
});
type Settings = typeof anySettings extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the settings after a request: of a changed subscription or, where there is none before, of a new one. */
function after(
  { filters, when, threads, name, ping }: SubscribeRequest,
  before: Settings | null,
  usual: TypedWhen['when'],
): Settings {
  // Daily needs a time, which the workspace's setting has.
  const clock = { at: '06:30', zone };
  const usually: Delivery =
    usual === 'daily'
      ? { when: usual, ...clock }
      : usual === 'weekly'
        ? { when: usual, day: 'friday', ...clock }
        : { when: usual };
  const made = {
    filters: filtersFrom({ filters }, before?.filters ?? noFilters),
    delivery: deliveryFrom({ when }, before?.delivery ?? usually, zone),
    threads: threads ?? before?.threads ?? false,
    typedName: name ?? before?.typedName ?? null,
    ping: ping === undefined ? (before?.ping ?? null) : ping,
  };
  return {
    ...made,
    filters: {
      ...made.filters,
      // In any order, each once.
      only: eventTypes.filter((type) => made.filters.only.includes(type)),
    },
  };
}

test('the line under the form has every setting: typed there or in a new channel, it gives the same subscription', () => {
  fc.assert(
    fc.property(
      fc.option(anySettings),
      anySettings,
      fc.constantFrom('live', 'hourly', 'daily'),
      fc.subarray(['only', 'paths', 'by', 'notBy', 'when', 'ping'] as const),
      (before, entered, usual, hidden) => {
        const { delivery, filters, threads, typedName, ping } = entered;
        const { zone: _, ...when } = { zone: '', ...delivery };
        // What a form does not show or change is not part of its request, which only an existing subscription leaves open.
        const isLeft = (key: (typeof hidden)[number]) => before !== null && hidden.includes(key);
        const isWhole = !isLeft('by') && !isLeft('notBy');
        const request: SubscribeRequest = {
          act: 'subscribe',
          target,
          comprehensive: true,
          filters: {
            only: isLeft('only') ? undefined : filters.only,
            paths: isLeft('paths') ? undefined : filters.paths,
            ...(isWhole ? { by: filters.by, notBy: filters.notBy } : {}),
          },
          when: isLeft('when') ? undefined : (when as TypedWhen),
          threads,
          name: typedName ?? undefined,
          ping: isLeft('ping') ? undefined : ping,
        };
        const wanted = after(request, before, usual);

        const line = formatRequest(brief(request, usual, before));
        const typed = parseTyped(line);

        if (!typed.ok || typed.request.act !== 'subscribe') throw new Error(`not understood: ${line}`);
        expect(after(typed.request, before, usual)).toEqual(wanted);
        expect(after(typed.request, null, usual)).toEqual(wanted);
      },
    ),
    { numRuns: manyRuns(2_000) },
  );
});

test('defaults make the line no longer', () => {
  const request: SubscribeRequest = {
    act: 'subscribe',
    target,
    comprehensive: true,
    filters: { only: [], paths: [], by: [], notBy: [] },
    when: { when: 'live' },
    threads: false,
    ping: null,
  };
  const plain = {
    filters: noFilters,
    delivery: { when: 'live' },
    threads: false,
    typedName: null,
    ping: null,
  } as const;

  for (const before of [null, plain]) {
    expect(formatRequest(brief(request, 'live', before))).toBe('subscribe project 412-873-550');
  }
});
