import type { HomeView, InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { limits } from './limits.ts';
import { type Message, plainText, requestButton } from './message.ts';

/** Makes a form. `metadata` comes back with it. Throws a RangeError if that is longer than Slack accepts. */
export function modal(form: {
  readonly callbackId: string;
  readonly metadata?: string;
  readonly title: string;
  readonly submit?: string | undefined;
  readonly close?: string;
  readonly blocks: KnownBlock[];
}): ModalView {
  const { callbackId, metadata, title, submit, close = 'Cancel', blocks } = form;
  if ((metadata ?? '').length > limits.privateMetadata) throw new RangeError('The metadata is too long');
  return {
    type: 'modal',
    callback_id: callbackId,
    ...(metadata === undefined ? {} : { private_metadata: metadata }),
    title: plainText(title, limits.modalTitle),
    ...(submit === undefined ? {} : { submit: plainText(submit, limits.modalButton) }),
    close: plainText(close, limits.modalButton),
    blocks,
  };
}

/** Makes a form without fields from a private answer to a press in the Home tab, where there is no other place to answer. */
export function answerView({ blocks }: Message): ModalView {
  return modal({ callbackId: callbackIds.answer, title: 'Plancast', close: 'Close', blocks });
}

/** Makes a Home tab. `metadata` comes back with every press in it. */
export function homeTab(metadata: string, blocks: KnownBlock[]): HomeView {
  return { type: 'home', callback_id: callbackIds.home, private_metadata: metadata, blocks };
}

/** Makes the large heading of a screen. */
export function header(text: string): KnownBlock {
  return { type: 'header', text: plainText(text, limits.headerText) };
}

/** Makes the button that leads from an admin screen back to the person's own subscriptions. */
export const backButton = requestButton('← My subscriptions', { act: 'home', page: 0 });

/** The `action_id` of each field of a form, except the subscribe form's, which are in `subscribing/form-fields.ts`. */
const fieldIds = {
  code: 'code',
  /** The other settings are in `admin/settings.ts`. */
  settingsWho: 'settings_who',
  settingsPeople: 'settings_people',
  settingsProjects: 'settings_projects',
  importText: 'import_text',
  showAllFind: 'show_all_find',
  quietDays: 'quiet_days',
  quietFrom: 'quiet_from',
  quietTo: 'quiet_to',
  quietExcept: 'quiet_except',
  removeDataOf: 'remove_data_of',
  removeDataChannel: 'remove_data_channel',
  removeDataPerson: 'remove_data_person',
} as const;

/**
 * The `action_id` of the fields of forms, of the filters in an admin's Home tab, and of the buttons that only change a form. That of any other
 * button is its act.
 */
export const actionIds = {
  ...fieldIds,
  workspaceState: 'workspace_state',
  workspaceChannel: 'workspace_channel',
  workspaceOwner: 'workspace_owner',
  formPreview: 'form_preview',
  formMore: 'form_more',
  formBack: 'form_back',
} as const;

/** The `callback_id` of each form and of the Home tab. */
export const callbackIds = {
  linkCode: 'link_code',
  showAll: 'show_all',
  /** The first step of the subscribe form, and the second. */
  target: 'target',
  subscribe: 'subscribe',
  formPreview: 'form_preview',
  settings: 'settings',
  importFile: 'import',
  removeData: 'remove_data',
  quiet: 'quiet',
  /** The answer to a press in the Home tab, where there is no other place to answer. */
  answer: 'answer',
  home: 'home',
} as const;

/** The `block_id` of each field of a form, by which its errors are keyed (Slack: response_action "errors"): its `action_id`. */
export const blockIds = fieldIds;

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
