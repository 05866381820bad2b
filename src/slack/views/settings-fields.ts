import type { TypedSettings } from '../../core/access/change-settings.ts';
import { defaultSettings, type Subscribers } from '../../core/model/settings.ts';
import { defaultDeliveries, detailsChoices } from '../../messages/admin/settings.ts';
import { blockIds } from '../../messages/text/action-ids.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

const kinds: Readonly<Record<Subscribers['kind'], true>> = { everyone: true, admins: true, people: true };

/** What was put into the form for the settings; null where it has none of the choices that it offers. */
export function readSettingsFields(values: FieldValues): TypedSettings | null {
  const option = (blockId: string) => fieldIn(values, blockId)?.selected_option?.value ?? '';
  const chosen = option(blockIds.settingsWho);
  const delivery = option(blockIds.settingsDelivery);
  if (!isKind(chosen)) return null;
  return {
    subscribers: chosen,
    userIds: fieldIn(values, blockIds.settingsPeople)?.selected_users ?? [],
    projects: fieldIn(values, blockIds.settingsProjects)?.value ?? '',
    signs: (fieldIn(values, blockIds.settingsSigns)?.selected_options ?? []).length > 0,
    delivery: isDelivery(delivery) ? defaultDeliveries[delivery] : defaultSettings.delivery,
    sharing: option(blockIds.settingsSharing) === 'never' ? 'never' : 'ask',
    detailsDays:
      detailsChoices.find((days) => String(days) === option(blockIds.settingsDetails)) ??
      defaultSettings.detailsDays,
  };
}

function isDelivery(text: string): text is keyof typeof defaultDeliveries {
  return Object.hasOwn(defaultDeliveries, text);
}

function isKind(text: string): text is Subscribers['kind'] {
  return Object.hasOwn(kinds, text);
}
