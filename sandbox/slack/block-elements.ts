import {
  anyText,
  anything,
  below,
  both,
  type Check,
  flag,
  type Inspection,
  integer,
  list,
  object,
  oneOf,
  plain,
  required,
  type Spot,
  string,
  typed,
} from './block-checks.ts';
import { richText } from './block-rich-text.ts';
import { fieldsListOf, fieldsOf } from './json.ts';
import { limits } from './limits.ts';

/** An address that is opened or loaded: any scheme, but it must have one. */
export const url = string(limits.url, { form: /^[a-z][a-z0-9+.-]*:\S+$/i });
const style = oneOf('primary', 'danger');

const confirm = object({
  title: plain(100),
  text: required(anyText(300)),
  confirm: plain(30),
  deny: plain(30),
  style,
});

const imageFields = {
  type: anything,
  image_url: url,
  slack_file: object({ id: string(limits.url), url }),
  alt_text: required(string(2000)),
};

/** Requires exactly one of two fields. */
export function either(first: string, second: string): Check {
  return (see, spot) => {
    if (spot.value === undefined) return;
    const fields = fieldsOf(spot.value);
    if ((fields[first] === undefined) === (fields[second] === undefined)) {
      see.report(spot, `needs either ${first} or ${second}`);
    }
  };
}

export const imageElement: Check = both(object(imageFields), either('image_url', 'slack_file'));
export const imageBlockFields = { ...imageFields, title: plain(2000) };

function option(text: Check, more: Record<string, Check> = {}): Check {
  return object({
    text: required(text),
    value: required(string(limits.optionValue)),
    description: plain(limits.optionText),
    ...more,
  });
}

const plainOption = option(plain(limits.optionText));
const markedOption = object({
  text: required(anyText(limits.optionText)),
  value: required(string(limits.optionValue)),
  description: anyText(limits.optionText),
});
/** An overflow option may carry a url instead, so its value is optional. */
const overflowOption = object({
  text: required(plain(limits.optionText)),
  value: string(limits.optionValue),
  description: plain(limits.optionText),
  url,
});

const optionGroup = object({
  label: required(plain(limits.optionText)),
  options: required(list(plainOption, { max: limits.selectOptions })),
});

/** Initial options must be among the options: Slack compares them. */
const chosenAmongOptions: Check = (see, spot) => {
  const fields = fieldsOf(spot.value);
  const offered = [
    ...fieldsListOf(fields.options),
    ...fieldsListOf(fields.option_groups).flatMap((group) => fieldsListOf(group.options)),
  ];
  const values = new Set(offered.map(({ value }) => value));
  if (fields.initial_option !== undefined && !values.has(fieldsOf(fields.initial_option).value)) {
    see.report(below(spot, 'initial_option'), 'is not among the options');
  }
  for (const [index, initial] of fieldsListOf(fields.initial_options).entries()) {
    if (!values.has(initial.value)) {
      see.report(below(below(spot, 'initial_options'), index), 'is not among the options');
    }
  }
};

function actionIdOnce(see: Inspection, spot: Spot): void {
  const id = spot.value;
  if (typeof id !== 'string') return;
  if (see.actionIds.has(id)) see.report(spot, `is "${id}", which is already used in this block`);
  see.actionIds.add(id);
}

const countFocus: Check = (see, spot) => {
  flag(see, spot);
  if (spot.value !== true) return;
  see.focused += 1;
  if (see.focused > 1) see.report(spot, 'is set on a second element of this view');
};

const actionId = both(string(limits.actionId), actionIdOnce);
const placeholder = plain(limits.placeholder);

/** Checks an interactive element: its own fields and the common ones. */
function acting(fields: Record<string, Check>): Check {
  return object({ type: anything, action_id: actionId, ...fields });
}

const choosing = { confirm, focus_on_load: countFocus, placeholder };
const many = { max_selected_items: integer(1, 1000) };
const typing = {
  focus_on_load: countFocus,
  placeholder,
  dispatch_action_config: object({
    trigger_actions_on: list(oneOf('on_enter_pressed', 'on_character_entered'), { max: 2 }),
  }),
};

const onlyInInputsOfModals: Check = (see, spot) => {
  flag(see, spot);
  if (spot.value === true && !(see.inInput && see.surface === 'modal')) {
    see.report(spot, 'works only in an input block of a modal');
  }
};

const conversationFilter: Check = both(
  object({
    include: list(oneOf('public', 'private', 'im', 'mpim'), { max: 4 }),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  }),
  (see, spot) => {
    if (spot.value !== undefined && Object.keys(fieldsOf(spot.value)).length === 0)
      see.report(spot, 'is empty');
  },
);

const staticOptions = {
  options: list(plainOption, { max: limits.selectOptions }),
  option_groups: list(optionGroup, { max: limits.optionGroups }),
};

function staticSelect(initial: Record<string, Check>): Check {
  const fields = acting({ ...choosing, ...staticOptions, ...initial });
  return both(both(fields, either('options', 'option_groups')), chosenAmongOptions);
}

const initialOptions = { initial_options: list(plainOption, { max: limits.selectOptions }) };
const id = string(255);
const ids = list(id, { max: 1000 });

const selects: Record<string, Check> = {
  static_select: staticSelect({ initial_option: plainOption }),
  multi_static_select: staticSelect({ ...initialOptions, ...many }),
  external_select: acting({ ...choosing, initial_option: plainOption, min_query_length: integer(0, 1000) }),
  multi_external_select: acting({
    ...choosing,
    ...initialOptions,
    ...many,
    min_query_length: integer(0, 1000),
  }),
  users_select: acting({ ...choosing, initial_user: id }),
  multi_users_select: acting({ ...choosing, ...many, initial_users: ids }),
  channels_select: acting({ ...choosing, initial_channel: id, response_url_enabled: onlyInInputsOfModals }),
  multi_channels_select: acting({ ...choosing, ...many, initial_channels: ids }),
  conversations_select: acting({
    ...choosing,
    initial_conversation: id,
    default_to_current_conversation: flag,
    filter: conversationFilter,
    response_url_enabled: onlyInInputsOfModals,
  }),
  multi_conversations_select: acting({
    ...choosing,
    ...many,
    initial_conversations: ids,
    default_to_current_conversation: flag,
    filter: conversationFilter,
  }),
};

const boxes = { options: required(list(markedOption, { max: limits.checkboxes })) };
const pickers: Record<string, Check> = {
  checkboxes: both(
    acting({
      ...boxes,
      confirm,
      focus_on_load: countFocus,
      initial_options: list(markedOption, { max: limits.checkboxes }),
    }),
    chosenAmongOptions,
  ),
  radio_buttons: both(
    acting({ ...boxes, confirm, focus_on_load: countFocus, initial_option: markedOption }),
    chosenAmongOptions,
  ),
  datepicker: acting({ ...choosing, initial_date: string(10, { form: /^\d{4}-\d\d-\d\d$/ }) }),
  timepicker: acting({
    ...choosing,
    initial_time: string(5, { form: /^([01]\d|2[0-3]):[0-5]\d$/ }),
    timezone: string(100),
  }),
  datetimepicker: acting({
    confirm,
    focus_on_load: countFocus,
    initial_date_time: integer(1_000_000_000, 9_999_999_999),
  }),
};

const buttonFields = {
  text: required(plain(limits.buttonText)),
  value: string(limits.buttonValue, { min: 0 }),
  style,
  accessibility_label: string(limits.buttonText),
  confirm,
};
export const button: Check = acting({ ...buttonFields, url });

const clicked: Record<string, Check> = {
  button,
  overflow: acting({ confirm, options: required(list(overflowOption, { max: limits.overflowOptions })) }),
  workflow_button: acting({ ...buttonFields, workflow: required(anything) }),
};

const inputText = { ...typing, initial_value: string(3000, { min: 0 }) };
const richTextInput = acting({
  ...typing,
  initial_value: richText,
  min_lines: integer(1, 100),
  max_lines: integer(1, 100),
});

const onlyInViews: Check = (see, spot) => {
  if (see.surface === 'message') see.report(spot, 'works only in modals');
};

const typedIn: Record<string, Check> = {
  plain_text_input: acting({
    ...inputText,
    multiline: flag,
    min_length: integer(0, 3000),
    max_length: integer(1, 3000),
  }),
  url_text_input: acting(inputText),
  email_text_input: acting(inputText),
  number_input: acting({
    ...inputText,
    is_decimal_allowed: required(flag),
    min_value: string(100),
    max_value: string(100),
  }),
  file_input: both(
    acting({ filetypes: list(string(20), { max: 100 }), max_files: integer(1, 10) }),
    onlyInViews,
  ),
  rich_text_input: richTextInput,
};

/** Elements of an `actions` block. */
export const actionElement = typed({ ...clicked, ...selects, ...pickers, rich_text_input: richTextInput });

/** The element of an `input` block. */
export const inputElement = typed({ ...typedIn, ...selects, ...pickers });

/** The accessory of a `section` block. */
export const accessory = typed({ ...clicked, ...selects, ...pickers, image: imageElement });

const feedbackButton = object({
  text: required(plain(limits.buttonText)),
  accessibility_label: string(limits.buttonText),
  value: required(string(limits.buttonValue)),
});

/** Elements of a `context_actions` block. */
export const contextAction = typed({
  feedback_buttons: acting({
    positive_button: required(feedbackButton),
    negative_button: required(feedbackButton),
  }),
  icon_button: acting({
    icon: required(string(100)),
    text: required(plain(limits.buttonText)),
    accessibility_label: string(limits.buttonText),
    value: string(limits.buttonValue),
    visible_to_user_ids: ids,
    confirm,
  }),
});
