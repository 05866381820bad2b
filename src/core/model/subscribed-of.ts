import type { Target } from './subscription.ts';

/** What a subscription follows, with the name where it is known. */
export type Subscribed = {
  readonly target: Target;
  readonly name: string | null;
  /** The name of the project or session that a folder, file or document is in; its id is shown where none is known. */
  readonly parentName?: string | null | undefined;
  readonly comprehensive: boolean;
};

/** What a subscription follows, as messages name it. */
export function subscribedOf(subscription: {
  readonly target: Target;
  readonly comprehensive: boolean;
  readonly resourceName: string | null;
  readonly parentName?: string | null | undefined;
}): Subscribed {
  const { target, comprehensive, resourceName, parentName } = subscription;
  return { target, comprehensive, name: resourceName, parentName };
}
