import type { TypedRemoval } from '../../core/administering/remove-data.ts';
import { blockIds } from '../../messages/text/action-ids.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

/** Reads the fields of the form that removes data. */
export function readRemovalFields(values: FieldValues): TypedRemoval {
  const kind = fieldIn(values, blockIds.removeDataOf)?.selected_option?.value;
  return {
    kind: kind === 'person' ? 'person' : 'channel',
    channelId: fieldIn(values, blockIds.removeDataChannel)?.selected_conversation ?? null,
    userId: fieldIn(values, blockIds.removeDataPerson)?.selected_user ?? null,
  };
}
