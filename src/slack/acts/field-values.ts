import { cleaned } from '../../lib/storable.ts';
import type { FieldState } from '../../messages/text/input.ts';

/** The fields of a form by `block_id` and `action_id`. */
export type FieldValues = Readonly<Record<string, Readonly<Record<string, FieldState>>>>;

/** Returns the only field of a block, with what was typed `cleaned`; undefined if the form has no such block. */
export function fieldIn(values: FieldValues, blockId: string): FieldState | undefined {
  const block = Object.hasOwn(values, blockId) ? values[blockId] : undefined;
  const field = block && Object.values(block)[0];
  return typeof field?.value === 'string' ? { ...field, value: cleaned(field.value) } : field;
}
