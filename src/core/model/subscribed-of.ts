import type { Target } from './subscription.ts';

/** What a subscription follows, with its name if known. */
export type Subscribed = {
  readonly target: Target;
  readonly name: string | null;
  /** The name of the project or session that contains a folder, file or document; its id is shown if the name is unknown. */
  readonly parentName?: string | null | undefined;
  readonly comprehensive: boolean;
};

/** Returns what a subscription follows, in the form that messages take. */
export function subscribedOf({
  resourceName: name,
  target,
  comprehensive,
  parentName,
}: Omit<Subscribed, 'name'> & { readonly resourceName: string | null }): Subscribed {
  return { target, comprehensive, name, parentName };
}
