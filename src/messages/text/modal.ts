import type {
  ConversationsSelect,
  HomeView,
  InputBlock,
  KnownBlock,
  ModalView,
  PlainTextOption,
  UsersSelect,
} from '@slack/types';
import { limits } from './limits.ts';
import { type Message, plainText, requestButton } from './message.ts';
import { inPlain, type Phrase } from './phrase.ts';

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
    ...(metadata !== undefined && { private_metadata: metadata }),
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

/**
 * The `action_id` of fields, of the filters in an admin's Home tab, and of the buttons that only change a form. Those of a form that is a table of
 * fields are its keys; that of any other button is its act.
 */
export const actionIds = {
  code: 'code',
  importText: 'import_text',
  showAllFind: 'show_all_find',
  quietDays: 'quiet_days',
  quietFrom: 'quiet_from',
  quietTo: 'quiet_to',
  quietExcept: 'quiet_except',
  removeDataOf: 'remove_data_of',
  removeDataChannel: 'remove_data_channel',
  removeDataPerson: 'remove_data_person',
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
type FieldElement = WithoutId<InputBlock['element']>;

/** A form field, as input for `input`. */
type Field = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean | undefined;
  /** Whether Slack sends every change immediately, so that the form can react. */
  readonly dispatches?: boolean | undefined;
  readonly element: FieldElement;
};

/** Makes a field with its label. Its `block_id`, by which its errors are keyed, is its `action_id` (Slack: response_action "errors"). */
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
function initialOptions(options: readonly PlainTextOption[], values: readonly string[]) {
  const found = options.filter(({ value }) => value !== undefined && values.includes(value));
  return found.length === 0 ? {} : { initial_options: found };
}

/** Makes a picker of one channel, with `channelId` initially selected. */
export function channelPicker(
  placeholder: string,
  channelId?: string | null,
): WithoutId<ConversationsSelect> {
  return {
    type: 'conversations_select',
    placeholder: plainText(placeholder, limits.placeholder),
    filter: { include: ['public', 'private'] },
    ...(channelId && { initial_conversation: channelId }),
  };
}

/** Makes a picker of one person, with `userId` initially selected. */
export function personPicker(placeholder: string, userId?: string | null): WithoutId<UsersSelect> {
  return {
    type: 'users_select',
    placeholder: plainText(placeholder, limits.placeholder),
    ...(userId && { initial_user: userId }),
  };
}

/** How one field of a form is drawn from what the form shows. */
type DrawnField<Shown> = {
  readonly label: string | ((form: Shown) => string);
  readonly hint?: string | ((form: Shown) => string);
  /** Whether it may be empty. */
  readonly optional?: true;
  readonly element: (form: Shown) => FieldElement;
};

/** One field of a form, and how it is read into what was entered so far. */
export type FormField<Shown, Entered> = DrawnField<Shown> & {
  /** Returns what it says, or what is wrong with it. */
  readonly read: (sent: FieldState, entered: Entered) => Partial<Entered> & { readonly fault?: Phrase };
};

/** What is wrong with a form, by the `action_id` of the field. */
export type FormFaults = ReadonlyMap<string, Phrase>;

/** Draws one field of a form. */
export function drawField<Shown>(
  id: string,
  { label, hint, optional, element }: DrawnField<Shown>,
  form: Shown,
): InputBlock {
  const wordsOf = (words: typeof label) => (typeof words === 'function' ? words(form) : words);
  return input(id, { label: wordsOf(label), hint: hint && wordsOf(hint), optional, element: element(form) });
}

/** Reads a form by the `action_id`s of its fields, each after those above it. What has no field stays as in `start`. */
export function readEntered<Entered>(
  fields: Readonly<Record<string, FormField<never, Entered>>>,
  start: Entered,
  fieldOf: FieldOf,
): { readonly entered: Entered; readonly faults: FormFaults } {
  const faults = new Map<string, Phrase>();
  let entered = start;
  for (const [id, field] of Object.entries(fields)) {
    const sent = fieldOf(id);
    const { fault, ...said } = sent === undefined ? {} : field.read(sent, entered);
    if (fault) faults.set(id, fault);
    entered = { ...entered, ...said };
  }
  return { entered, faults };
}

/** Returns what is wrong, by `block_id` (Slack: response_action "errors"). */
export function errorsOf(faults: FormFaults): Readonly<Record<string, string>> {
  return Object.fromEntries([...faults].map(([id, fault]) => [id, inPlain(fault, limits.fieldError)]));
}
