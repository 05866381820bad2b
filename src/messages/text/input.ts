import type { InputBlock, PlainTextOption } from '@slack/types';
import { limits } from './limits.ts';
import { plainText } from './message.ts';

/** A field of a form, as `input` makes it. */
export type Field = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean | undefined;
  /** Slack sends each change of it at once, so that the form can follow. */
  readonly dispatches?: boolean | undefined;
  readonly element: InputBlock['element'];
};

/** A field with its label; errors of the form name its `blockId` (Slack: response_action "errors"). */
export function input(blockId: string, { label, hint, optional, dispatches, element }: Field): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plainText(label, limits.inputLabel),
    ...(hint === undefined ? {} : { hint: plainText(hint, limits.inputHint) }),
    ...(optional ? { optional } : {}),
    ...(dispatches ? { dispatch_action: true } : {}),
    element,
  };
}

/** The options of a choice, from labels by value. */
export function optionsOf(labels: Readonly<Record<string, string>>): PlainTextOption[] {
  return Object.entries(labels).map(([value, label]) => option(value, label));
}

/** One option of a choice. */
export function option(value: string, label: string): PlainTextOption {
  return { text: plainText(label, limits.optionText), value };
}

/** Boxes to tick, with those of `values` ticked at first. */
export function checkboxes(actionId: string, options: PlainTextOption[], values: readonly string[]) {
  return { type: 'checkboxes', action_id: actionId, options, ...initialOptions(options, values) } as const;
}

/** Buttons of which one is chosen. */
export function radioButtons(actionId: string, options: PlainTextOption[], value: string) {
  return { type: 'radio_buttons', action_id: actionId, options, ...initialOption(options, value) } as const;
}

/** A list of which one is chosen. */
export function select(actionId: string, options: PlainTextOption[], value: string) {
  return { type: 'static_select', action_id: actionId, options, ...initialOption(options, value) } as const;
}

/** What a choice of one begins with; nothing where no option has that value. */
export function initialOption(options: readonly PlainTextOption[], value: string | null) {
  const found = options.find((each) => each.value === value);
  return found ? { initial_option: found } : {};
}

/** What a choice of several begins with: Slack takes no empty list. */
export function initialOptions(options: readonly PlainTextOption[], values: readonly string[]) {
  const found = options.filter(({ value }) => value !== undefined && values.includes(value));
  return found.length === 0 ? {} : { initial_options: found };
}

/** What a text field begins with: Slack takes no empty text. */
export function initialText(text: string) {
  return text === '' ? {} : { initial_value: text };
}
