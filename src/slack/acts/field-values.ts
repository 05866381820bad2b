import { cleaned } from '../../lib/storable.ts';

/** The value of one field of a form. Which property is set depends on the kind of field. */
export type FieldState = {
  readonly value?: string | null | undefined;
  readonly selected_option?: { readonly value?: string | undefined } | null | undefined;
  readonly selected_options?: readonly { readonly value?: string | undefined }[] | null | undefined;
  readonly selected_conversation?: string | null | undefined;
  readonly selected_user?: string | null | undefined;
  readonly selected_users?: readonly string[] | null | undefined;
  readonly selected_time?: string | null | undefined;
};

/** The fields of a form by `block_id` and `action_id`. */
export type FieldValues = Readonly<Record<string, Readonly<Record<string, FieldState>>>>;

/** Returns the only field of a block, with what was typed `cleaned`; undefined if the form has no such block. */
export function fieldIn(values: FieldValues, blockId: string): FieldState | undefined {
  const block = Object.hasOwn(values, blockId) ? values[blockId] : undefined;
  const field = block && Object.values(block)[0];
  return typeof field?.value === 'string' ? { ...field, value: cleaned(field.value) } : field;
}
