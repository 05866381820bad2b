import type { SubscriptionSettings } from '../../messages/text/copy.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Delivery } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { FormContext, FormUnderstood } from './form-context.ts';
import type { Certain } from './given-request.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';

/** What the form would subscribe to, and with which settings. */
export type FormOutcome = {
  readonly request: Certain;
  readonly settings: SubscriptionSettings;
};

const live: Delivery = { when: 'live' };

/** Works out what submitting the form would do; null while something in it is missing or invalid. */
export async function settingsOfForm(
  { person }: CommandContext,
  { formContext, understood }: { readonly formContext: FormContext; readonly understood: FormUnderstood },
  deps: SubscribingRoomDeps,
): Promise<FormOutcome | null> {
  const { request } = understood;
  if (request === null || request.target.kind === 'unknown') return null;
  const { change } = formContext;
  const before = change && (await deps.subscriptions.ofWorkspace(person, change.id));
  const filters = filtersFrom(request, before?.filters ?? noFilters);
  return {
    request: { ...request, target: request.target },
    settings: {
      filters,
      delivery: deliveryFrom(request, before?.delivery ?? live, formContext.zone),
      threads: request.threads ?? before?.threads ?? false,
      names: await deps.namesIn({ ...person, channelId: understood.channelId ?? '' }, filters),
    },
  };
}
