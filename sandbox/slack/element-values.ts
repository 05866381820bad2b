import { type Fields, fieldsListOf, fieldsOf, isFields } from './json.ts';

/** An element's entry in `state.values`: its type and the one field with the value. */
export type ElementState = Fields;

/** By block id, then action id. */
export type StateValues = Record<string, Record<string, ElementState>>;

interface ValueForm {
  /** The payload field, such as `selected_option`. */
  field: string;
  /** The element's field for its initial value. */
  initial: string;
  /** Whether values are options (text and value) instead of plain ids, dates or strings. */
  options?: boolean;
  many?: boolean;
}

const option: ValueForm = { field: 'selected_option', initial: 'initial_option', options: true };
const options: ValueForm = {
  field: 'selected_options',
  initial: 'initial_options',
  options: true,
  many: true,
};
const value: ValueForm = { field: 'value', initial: 'initial_value' };

const FORMS: Record<string, ValueForm> = {
  static_select: option,
  external_select: option,
  radio_buttons: option,
  overflow: option,
  multi_static_select: options,
  multi_external_select: options,
  checkboxes: options,
  conversations_select: { field: 'selected_conversation', initial: 'initial_conversation' },
  multi_conversations_select: {
    field: 'selected_conversations',
    initial: 'initial_conversations',
    many: true,
  },
  channels_select: { field: 'selected_channel', initial: 'initial_channel' },
  multi_channels_select: { field: 'selected_channels', initial: 'initial_channels', many: true },
  users_select: { field: 'selected_user', initial: 'initial_user' },
  multi_users_select: { field: 'selected_users', initial: 'initial_users', many: true },
  datepicker: { field: 'selected_date', initial: 'initial_date' },
  timepicker: { field: 'selected_time', initial: 'initial_time' },
  datetimepicker: { field: 'selected_date_time', initial: 'initial_date_time' },
  plain_text_input: value,
  url_text_input: value,
  email_text_input: value,
  number_input: value,
  rich_text_input: { field: 'rich_text_value', initial: 'initial_value' },
  file_input: { field: 'files', initial: 'initial_files', many: true },
};

/** Returns whether the element keeps a value (a button does not). */
export function keepsValue(element: Fields): boolean {
  return formOf(element) !== undefined && element.type !== 'overflow';
}

function formOf({ type }: Fields): ValueForm | undefined {
  return typeof type === 'string' && Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
}

function offeredOptions(element: Fields): Fields[] {
  return [
    ...fieldsListOf(element.options),
    ...fieldsListOf(element.option_groups).flatMap((group) => fieldsListOf(group.options)),
  ];
}

/** Returns the option whose value or text is `wanted`; an option object stands for itself. */
function pick(element: Fields, wanted: unknown, suggested: Fields[]): Fields {
  if (isFields(wanted)) return wanted;
  const offered = [...offeredOptions(element), ...suggested];
  const match = offered.find(
    (candidate) => candidate.value === wanted || fieldsOf(candidate.text).text === wanted,
  );
  if (match !== undefined) return match;
  if (String(element.type).includes('external')) {
    return { text: { type: 'plain_text', text: String(wanted), emoji: true }, value: String(wanted) };
  }
  const there = offered.map((candidate) => String(candidate.value)).join(', ');
  throw new Error(`${String(element.action_id)} has no option "${String(wanted)}"; there are: ${there}`);
}

function read(element: Fields, form: ValueForm, wanted: unknown, suggested: Fields[]): unknown {
  if (wanted === null || wanted === undefined) return form.many ? [] : null;
  if (!form.many) return form.options ? pick(element, wanted, suggested) : wanted;
  const list = Array.isArray(wanted) ? wanted : [wanted];
  return form.options ? list.map((entry) => pick(element, entry, suggested)) : list;
}

/**
 * Returns the element's state after a person has entered `wanted`: an option's value or text, an id, a date, a string; a list of these if
 * several can be chosen; null to clear.
 * @param suggested options the bot offered for an external select
 * @throws Error if the element has no such option, or keeps no value
 */
export function holding(element: Fields, wanted: unknown, suggested: Fields[] = []): ElementState {
  const form = formOf(element);
  if (form === undefined) throw new Error(`${String(element.type)} does not keep a value.`);
  return { type: element.type, [form.field]: read(element, form, wanted, suggested) };
}

/** Returns the element's initial state. */
export function initially(element: Fields, currentConversation?: string | undefined): ElementState {
  const form = formOf(element);
  if (form === undefined) return { type: element.type };
  const current = element.default_to_current_conversation === true ? currentConversation : undefined;
  const first = element[form.initial] ?? (form.many && current !== undefined ? [current] : current);
  return { type: element.type, [form.field]: first ?? (form.many ? [] : null) };
}

/** Returns the value in an element's state: null or an empty list if there is none. */
export function heldBy(element: Fields, state: ElementState): unknown {
  const form = formOf(element);
  return form === undefined ? undefined : state[form.field];
}
