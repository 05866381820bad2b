import { type Fields, fieldsListOf, isFields, stringOf } from '../../slack/json.ts';
import { type Html, html } from './html.ts';
import { type Choices, type Option, optionGroupsOf, optionTags } from './options.ts';
import { plainTextOf } from './text-object.ts';

/** The position and the value of an element. */
export type Placed = {
  readonly element: Fields;
  readonly blockId: string;
  /** Its entry in `state.values`; undefined in messages, where elements have their initial value. */
  readonly state?: Fields | undefined;
  /** Unique on the page. */
  readonly id: string;
  readonly name: string;
  /** Whether a label beside it gives its name; otherwise it needs one of its own. */
  readonly labeled: boolean;
  /** Whether a change is sent to the bot immediately. */
  readonly notifies: boolean;
  readonly required?: boolean | undefined;
  /** Ids of its descriptions: hint, error. */
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean | undefined;
  readonly choices: Choices;
};

/**
 * Renders a Block Kit element as a native control. The block and action ids that the page's script needs are on the control itself, so
 * nothing depends on the order of drawing.
 */
export function renderControl(placed: Placed): Html {
  const type = String(placed.element.type);
  if (type === 'button' || type === 'workflow_button') return button(placed);
  if (type === 'overflow') return overflow(placed);
  if (type === 'multi_external_select') return externalBoxes(placed);
  if (type === 'checkboxes' || type === 'radio_buttons' || type.startsWith('multi_')) return boxes(placed);
  if (type === 'external_select') return externalSelect(placed);
  if (type.endsWith('_select')) return select(placed);
  return field(placed);
}

/** Returns whether the element is a group of several controls, which a `<label>` cannot name. */
export function isGroup({ type }: Fields): boolean {
  return type === 'checkboxes' || type === 'radio_buttons' || String(type).startsWith('multi_');
}

/** Returns the attributes by which the script finds the element again. */
function found({ element, blockId, notifies }: Placed): Html {
  return html` data-control="${String(element.type)}" data-block="${blockId}" data-action="${String(element.action_id)}"${notifies && html` data-notifies`}${confirmOf(element)}`;
}

function confirmOf({ confirm }: Fields): Html | undefined {
  if (!isFields(confirm)) return undefined;
  const { title, text, confirm: yes, deny, style } = confirm;
  const words = { title, text, yes, deny };
  const plain = Object.entries(words).map(([key, words_]) => [key, plainTextOf(words_)]);
  return html` data-confirm="${JSON.stringify({ ...Object.fromEntries(plain), style })}"`;
}

function described({ describedBy, invalid, labeled, name }: Placed): Html {
  return html`${!labeled && html` aria-label="${name}"`}${describedBy !== undefined && html` aria-describedby="${describedBy}"`}${invalid && html` aria-invalid="true"`}`;
}

function button(placed: Placed): Html {
  const { element } = placed;
  const label = plainTextOf(element.text);
  const spoken = stringOf(element.accessibility_label);
  const style = stringOf(element.style);
  const value = stringOf(element.value);
  const attributes = html`class="btn${style !== undefined && html` ${style}`}" data-press${found(placed)}${value !== undefined && html` data-value="${value}"`}${spoken !== undefined && html` aria-label="${spoken}"`}`;
  const url = stringOf(element.url);
  return url === undefined
    ? html`<button type="button" ${attributes}>${label}</button>`
    : html`<a href="${url}" target="_blank" rel="noopener" ${attributes}>${label}</a>`;
}

function overflow(placed: Placed): Html {
  const items = fieldsListOf(placed.element.options).map(({ text, value, url, description }) => {
    const small = plainTextOf(description);
    const words = html`${plainTextOf(text)}${small !== '' && html`<small>${small}</small>`}`;
    const attributes = html`class="item" data-press${found(placed)} data-value="${stringOf(value)}"`;
    const address = stringOf(url);
    return address === undefined
      ? html`<button type="button" ${attributes}>${words}</button>`
      : html`<a href="${address}" target="_blank" rel="noopener" ${attributes}>${words}</a>`;
  });
  return html`<details class="overflow"><summary aria-label="More actions">⋯</summary><div data-arrows>${items}</div></details>`;
}

/** Returns what is chosen: values of options, or ids. */
function chosenIn({ element, state }: Placed): ReadonlySet<string> {
  const held = state ?? initialState(element);
  const values = Object.entries(held).flatMap(([key, value]) =>
    key.startsWith('selected_') ? (Array.isArray(value) ? value : [value]) : [],
  );
  return new Set(values.map((value) => String(isFields(value) ? value.value : (value ?? ''))));
}

function initialState(element: Fields): Fields {
  return Object.fromEntries(
    Object.entries(element)
      .filter(([key]) => key.startsWith('initial_'))
      .map(([key, value]) => [key.replace('initial_', 'selected_'), value]),
  );
}

function boxes(placed: Placed): Html {
  const { element, id, choices } = placed;
  const kind = element.type === 'radio_buttons' ? 'radio' : 'checkbox';
  const chosen = chosenIn(placed);
  const box = ({ value, label, description }: Option, index: number): Html =>
    html`<label class="box"><input type="${kind}" name="${id}" id="${id}-${index}" value="${value}"${chosen.has(value) && html` checked`}><span>${label}${description !== undefined && html`<small>${description}</small>`}</span></label>`;
  const options = optionGroupsOf(element, choices).flatMap((group) => group.options);
  const role = kind === 'radio' ? 'radiogroup' : 'group';
  return html`<div class="boxes" role="${role}" id="${id}"${found(placed)}${described(placed)}>${options.map(box)}</div>`;
}

function select(placed: Placed): Html {
  const { element, id, required, choices } = placed;
  const chosen = chosenIn(placed);
  const placeholder = plainTextOf(element.placeholder) || 'Choose…';
  return html`<select id="${id}"${required && html` required`}${found(placed)}${described(placed)}><option value="">${placeholder}</option>${optionTags(optionGroupsOf(element, choices), chosen)}</select>`;
}

/** Renders a select whose options come from the bot while a person types. */
function externalSelect(placed: Placed): Html {
  const { element, id, required } = placed;
  const held = isFields(placed.state?.selected_option)
    ? placed.state.selected_option
    : isFields(element.initial_option)
      ? element.initial_option
      : undefined;
  const shown =
    held && html`<option value="${String(held.value)}" selected>${plainTextOf(held.text)}</option>`;
  return html`<div class="external">${search(placed)}<select id="${id}"${required && html` required`}${found(placed)}${described(placed)}><option value="">Nothing chosen</option>${shown}</select></div>`;
}

/** Renders a select of several options that come from the bot while a person types: a box for each that is chosen or offered. */
function externalBoxes(placed: Placed): Html {
  const { element, state } = placed;
  const options = fieldsListOf(state?.selected_options ?? element.initial_options);
  return html`<div class="external">${search(placed)}${boxes({ ...placed, element: { ...element, options } })}</div>`;
}

function search({ element, id, name }: Placed): Html {
  return html`<input type="search" data-suggest="${id}" aria-label="Search: ${name}" placeholder="${plainTextOf(element.placeholder) || 'Search…'}" autocomplete="off"${element.focus_on_load === true && html` data-focus`}>`;
}

/** Slack's single-line inputs and their types in a browser. */
const INPUT_TYPES: Readonly<Record<string, string>> = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'number',
  datepicker: 'date',
  timepicker: 'time',
};

function field(placed: Placed): Html {
  const { element, id, required, state } = placed;
  const type = INPUT_TYPES[String(element.type)];
  if (type === undefined)
    return html`<p class="unknown">This page cannot show a ${String(element.type)}.</p>`;
  const held = state ?? { value: element.initial_value ?? element.initial_date ?? element.initial_time };
  const value = held.value ?? held.selected_date ?? held.selected_time ?? '';
  const placeholder = plainTextOf(element.placeholder);
  const attributes = html`id="${id}" autocomplete="off"${required && html` required`}${found(placed)}${described(placed)}${placeholder !== '' && html` placeholder="${placeholder}"`}${typeof element.max_length === 'number' && html` maxlength="${element.max_length}"`}${element.focus_on_load === true && html` data-focus`}`;
  return element.multiline === true
    ? html`<textarea rows="4" ${attributes}>${String(value)}</textarea>`
    : html`<input type="${type}" ${attributes} value="${String(value)}">`;
}
