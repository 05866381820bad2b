import type { TypedSettings } from '../../core/access/change-settings.ts';
import type { TypedRemoval } from '../../core/administering/remove-data.ts';
import type { Subscribers } from '../../core/model/settings.ts';
import { readSettings } from '../../messages/admin/setting-rows.ts';
import { blockIds } from '../../messages/text/action-ids.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

const kinds: Readonly<Record<Subscribers['kind'], true>> = { everyone: true, admins: true, people: true };

/** Reads the fields of the settings form; null if the choice of who may subscribe is missing or unknown. */
export function readSettingsFields(values: FieldValues): TypedSettings | null {
  const chosenIn = (blockId: string) => {
    const field = fieldIn(values, blockId);
    const options = [...(field?.selected_options ?? []), field?.selected_option];
    return options.flatMap((option) => option?.value ?? []);
  };
  const [chosen = ''] = chosenIn(blockIds.settingsWho);
  if (!isKind(chosen)) return null;
  return {
    ...readSettings(chosenIn),
    subscribers: chosen,
    userIds: fieldIn(values, blockIds.settingsPeople)?.selected_users ?? [],
    projects: fieldIn(values, blockIds.settingsProjects)?.value ?? '',
  };
}

function isKind(text: string): text is Subscribers['kind'] {
  return Object.hasOwn(kinds, text);
}

/** Reads the fields of the form that removes data. */
export function readRemovalFields(values: FieldValues): TypedRemoval {
  const kind = fieldIn(values, blockIds.removeDataOf)?.selected_option?.value;
  return {
    kind: kind === 'person' ? 'person' : 'channel',
    channelId: fieldIn(values, blockIds.removeDataChannel)?.selected_conversation ?? null,
    userId: fieldIn(values, blockIds.removeDataPerson)?.selected_user ?? null,
  };
}
