import type { Target } from './subscription.ts';

/** What a subscription follows, with the name where it is known. */
export type Subscribed = {
  readonly target: Target;
  readonly name: string | null;
  readonly comprehensive: boolean;
};

/** What a subscription follows, as messages name it. */
export function subscribedOf(subscription: {
  readonly target: Target;
  readonly comprehensive: boolean;
  readonly resourceName: string | null;
}): Subscribed {
  const { target, comprehensive, resourceName } = subscription;
  return { target, comprehensive, name: resourceName };
}
