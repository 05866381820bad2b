import { resourcePath } from './resources.ts';
import type { Subscription } from './subscriptions.ts';
import type { SwitchBoard } from './switches.ts';

/** The Source of remote subscriptions: a name, or a number if switched. */
const SOURCE_NAME = 'Collaboration';
const SOURCE_NUMBER = 2;

type Fields = Record<string, unknown>;

/**
 * Returns a remote subscription as the service interface shows it, with fields in its order.
 * @param reference the `$id`: counts the objects of one response
 * @param withKey only the response to a create contains the Key
 */
export function recordOf(
  subscription: Subscription,
  { reference, withKey }: { reference: number; withKey: boolean },
  switches: SwitchBoard,
): Fields {
  const numeric = switches.get('numbers') === 'as strings' ? String : (value: number) => value;
  const shown = switches.get('recordStatus');
  return {
    $id: String(reference),
    EndpointId: numeric(subscription.endpointId),
    Resource: resourcePath(subscription.place, switches),
    Source: switches.get('recordSource') === 'string' ? SOURCE_NAME : SOURCE_NUMBER,
    Status: subscription.status === 'Active' ? shown : subscription.status,
    SubscriptionId: numeric(subscription.id),
    Uri: subscription.uri,
    ...(withKey ? { Key: subscription.key } : {}),
    ...(switches.get('unknownFields') === 'sent' ? { Created: '2026-01-01', Owner: { $id: '99' } } : {}),
  };
}

/** Returns the subscription list response of the service interface. */
export function listOf(subscriptions: readonly Subscription[], switches: SwitchBoard): Fields {
  const numeric = switches.get('numbers') === 'as strings' ? String : (value: number) => value;
  return {
    $id: '1',
    Subscriptions: subscriptions.map((one, at) =>
      recordOf(one, { reference: at + 2, withKey: false }, switches),
    ),
    TotalCount: numeric(subscriptions.length),
  };
}
