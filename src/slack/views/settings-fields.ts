import type { TypedSettings } from '../../core/access/change-settings.ts';
import type { Subscribers } from '../../core/model/settings.ts';
import { blockIds } from '../../messages/text/action-ids.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

const kinds: Readonly<Record<Subscribers['kind'], true>> = { everyone: true, admins: true, people: true };

/** What was put into the form for the settings; null where it has none of the choices that it offers. */
export function readSettingsFields(values: FieldValues): TypedSettings | null {
  const chosen = fieldIn(values, blockIds.settingsWho)?.selected_option?.value ?? '';
  if (!isKind(chosen)) return null;
  return {
    subscribers: chosen,
    userIds: fieldIn(values, blockIds.settingsPeople)?.selected_users ?? [],
    projects: fieldIn(values, blockIds.settingsProjects)?.value ?? '',
    signs: (fieldIn(values, blockIds.settingsSigns)?.selected_options ?? []).length > 0,
  };
}

function isKind(text: string): text is Subscribers['kind'] {
  return Object.hasOwn(kinds, text);
}
