import { PracticeError } from './practice-error.ts';
import { type Place, samePlace } from './resources.ts';
import type { SwitchBoard } from './switches.ts';

export type Subscription = {
  readonly id: number;
  readonly endpointId: number;
  /** Email of the user on whose behalf the app created it. */
  readonly user: string;
  readonly place: Place;
  readonly comprehensive: boolean;
  readonly uri: string;
  /** Hexadecimal. */
  readonly key: string;
  /** Only `Active` subscriptions get notifications. */
  status: string;
};

type Wanted = Pick<Subscription, 'user' | 'place' | 'comprehensive' | 'uri'>;

export type Subscriptions = {
  add(wanted: Wanted): Subscription;
  byId(id: number): Subscription | undefined;
  /** Like `byId`, but also finds removed ones. */
  everMade(id: number): Subscription | undefined;
  remove(subscription: Subscription): void;
  all(): readonly Subscription[];
  ofUser(email: string): readonly Subscription[];
  /** Sets the Status; anything but `Active` stops its notifications. Throws PracticeError (`unknown`). */
  setStatus(id: number, status: string): void;
};

type Deps = {
  switches: SwitchBoard;
  /** Returns a new Key in lower-case hexadecimal. */
  newKey: () => string;
  /** Called for every subscription that is created or removed. */
  onChange: (change: 'created' | 'removed', subscription: Subscription) => void;
};

const FIRST_ID = 1_201;
/** Larger than 32 bits can hold, signed or not. */
const FIRST_LARGE_ID = 5_000_000_001;

/** Creates the store of subscriptions, plain and comprehensive. */
export function makeSubscriptions({ switches, newKey, onChange }: Deps): Subscriptions {
  const active = new Map<number, Subscription>();
  const ever = new Map<number, Subscription>();
  const endpoints = new Map<string, number>();
  let made = 0;

  function endpointOf(uri: string): number {
    const known = endpoints.get(uri) ?? 301 + endpoints.size;
    endpoints.set(uri, known);
    return known;
  }

  return {
    add(wanted) {
      const first = switches.get('subscriptionIds') === 'large' ? FIRST_LARGE_ID : FIRST_ID;
      const key = newKey();
      const subscription: Subscription = {
        ...wanted,
        id: first + made,
        endpointId: endpointOf(wanted.uri),
        key: switches.get('keyCase') === 'upper' ? key.toUpperCase() : key,
        status: 'Active',
      };
      made += 1;
      active.set(subscription.id, subscription);
      ever.set(subscription.id, subscription);
      onChange('created', subscription);
      return subscription;
    },
    byId: (id) => active.get(id),
    everMade: (id) => ever.get(id),
    remove(subscription) {
      if (!active.delete(subscription.id)) return;
      onChange('removed', subscription);
    },
    all: () => [...active.values()],
    ofUser: (email) => [...active.values()].filter(({ user }) => user === email),
    setStatus(id, status) {
      const subscription = active.get(id);
      if (!subscription) throw new PracticeError('unknown', `There is no subscription ${id}.`);
      subscription.status = status;
    },
  };
}

/** Returns whether both are for the same resource, scope and user. */
export function sameSubscription(one: Wanted, other: Wanted): boolean {
  return (
    one.user === other.user && one.comprehensive === other.comprehensive && samePlace(one.place, other.place)
  );
}
