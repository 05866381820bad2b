import { cleaned } from '../../lib/storable.ts';
import type { FieldState } from '../../messages/text/input.ts';

/** The fields of a form by `block_id` and `action_id`. */
export type FieldValues = Readonly<Record<string, Readonly<Record<string, FieldState>>>>;

/** Returns a field by its `action_id`, with what was typed `cleaned`; undefined if the form has none. */
export function fieldIn(values: FieldValues, actionId: string): FieldState | undefined {
  const field = Object.values(values).find((block) => Object.hasOwn(block, actionId))?.[actionId];
  return typeof field?.value === 'string' ? { ...field, value: cleaned(field.value) } : field;
}
