import type { TypedSettings } from '../../core/access/change-settings.ts';
import type { AnyRequest } from '../../core/model/any-request.ts';
import type { Subscribers } from '../../core/model/settings.ts';
import type { RemoveDataKind } from '../../messages/admin/remove-data.ts';
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

/** Reads the fields of the form that removes data; `request` is null if nothing was chosen. */
export function readRemovalFields(values: FieldValues): {
  readonly kind: RemoveDataKind;
  readonly request: AnyRequest | null;
} {
  if (fieldIn(values, blockIds.removeDataOf)?.selected_option?.value === 'person') {
    const userId = fieldIn(values, blockIds.removeDataPerson)?.selected_user;
    return { kind: 'person', request: userId ? { act: 'remove-person', userId } : null };
  }
  const channelId = fieldIn(values, blockIds.removeDataChannel)?.selected_conversation;
  return { kind: 'channel', request: channelId ? { act: 'remove-channel', channelId } : null };
}
