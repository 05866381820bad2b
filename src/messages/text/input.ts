import type { InputBlock, PlainTextOption } from '@slack/types';
import { limits } from './limits.ts';
import { plainText } from './message.ts';

/** The value of one field of a form as Slack sends it. Which property is set depends on the kind of field. */
export type FieldState = {
  readonly value?: string | null | undefined;
  readonly selected_option?: { readonly value?: string | undefined } | null | undefined;
  readonly selected_options?: readonly { readonly value?: string | undefined }[] | null | undefined;
  readonly selected_conversation?: string | null | undefined;
  readonly selected_user?: string | null | undefined;
  readonly selected_users?: readonly string[] | null | undefined;
  readonly selected_time?: string | null | undefined;
};

/** Returns a field of a form by its `action_id`; undefined if the form has none. */
export type FieldOf = (actionId: string) => FieldState | undefined;

/** Returns the values chosen in a menu, in checkboxes or in radio buttons. */
export function chosenIn(field: FieldState | undefined): string[] {
  return [...(field?.selected_options ?? []), field?.selected_option].flatMap((each) => each?.value ?? []);
}

type WithoutId<Element> = Element extends unknown ? Omit<Element, 'action_id'> : never;

/** What is entered in, as input for `input`. */
export type FieldElement = WithoutId<InputBlock['element']>;

/** A form field, as input for `input`. */
type Field = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean | undefined;
  /** Whether Slack sends every change immediately, so that the form can react. */
  readonly dispatches?: boolean | undefined;
  readonly element: FieldElement;
};

/** Makes a field with its label. Its `block_id` is its `action_id`. */
export function input(actionId: string, { label, hint, optional, dispatches, element }: Field): InputBlock {
  const { type, ...rest } = element;
  return {
    type: 'input',
    block_id: actionId,
    label: plainText(label, limits.inputLabel),
    ...(hint === undefined ? {} : { hint: plainText(hint, limits.inputHint) }),
    ...(optional ? { optional } : {}),
    ...(dispatches ? { dispatch_action: true } : {}),
    element: { type, action_id: actionId, ...rest } as InputBlock['element'],
  };
}

/** Makes a text field, with `text` initially in it. `most`: how many characters it accepts. */
export function textField(field: {
  readonly text?: string;
  readonly most?: number;
  readonly multiline?: true;
  readonly placeholder?: string;
}) {
  const { text = '', most = limits.inputText, multiline, placeholder } = field;
  return {
    type: 'plain_text_input',
    ...(multiline ? { multiline } : {}),
    max_length: most,
    ...(placeholder === undefined ? {} : { placeholder: plainText(placeholder, limits.placeholder) }),
    // Slack refuses an empty one.
    ...(text === '' ? {} : { initial_value: text }),
  } as const;
}

/** Makes the options of a choice from labels by value. */
export function optionsOf(labels: Readonly<Record<string, string>>): PlainTextOption[] {
  return Object.entries(labels).map(([value, label]) => option(value, label));
}

/** Makes one option of a choice. */
export function option(value: string, label: string): PlainTextOption {
  return { text: plainText(label, limits.optionText), value };
}

/** Makes checkboxes, with those in `values` initially checked. */
export function checkboxes(options: PlainTextOption[], values: readonly string[]) {
  return { type: 'checkboxes', options, ...initialOptions(options, values) } as const;
}

/** Makes radio buttons, with `value` initially selected. */
export function radioButtons(options: PlainTextOption[], value: string | null) {
  return { type: 'radio_buttons', options, ...initialOption(options, value) } as const;
}

/** Makes a select menu, with `value` initially selected. */
export function select(options: PlainTextOption[], value: string | null) {
  return { type: 'static_select', options, ...initialOption(options, value) } as const;
}

/** Returns the initial selection of a single choice; nothing if no option has that value. */
function initialOption(options: readonly PlainTextOption[], value: string | null) {
  const found = options.find((each) => each.value === value);
  return found ? { initial_option: found } : {};
}

/** Returns the initial selection of a multiple choice; nothing instead of an empty list, which Slack refuses. */
export function initialOptions(options: readonly PlainTextOption[], values: readonly string[]) {
  const found = options.filter(({ value }) => value !== undefined && values.includes(value));
  return found.length === 0 ? {} : { initial_options: found };
}
