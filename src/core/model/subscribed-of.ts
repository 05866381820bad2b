import type { Subscribed } from '../../messages/text/copy.ts';
import type { Subscription } from '../../store/tables/subscriptions.ts';

/** What a subscription follows, as messages name it. */
export function subscribedOf({
  target,
  comprehensive,
  resourceName,
}: Pick<Subscription, 'target' | 'comprehensive' | 'resourceName'>): Subscribed {
  return { target, comprehensive, name: resourceName };
}
