/** What a person put into one field of a form, in whichever of Slack's shapes that comes. */
export type FieldState = {
  readonly value?: string | null | undefined;
  readonly selected_option?: { readonly value?: string | undefined } | null | undefined;
  readonly selected_options?: readonly { readonly value?: string | undefined }[] | null | undefined;
  readonly selected_conversation?: string | null | undefined;
  readonly selected_users?: readonly string[] | null | undefined;
  readonly selected_time?: string | null | undefined;
};

/** The fields of a form by `block_id` and `action_id`. */
export type FieldValues = Readonly<Record<string, Readonly<Record<string, FieldState>>>>;

/** The one field of a block; undefined where the form has no such block. */
export function fieldIn(values: FieldValues, blockId: string): FieldState | undefined {
  const block = Object.hasOwn(values, blockId) ? values[blockId] : undefined;
  return block && Object.values(block)[0];
}
