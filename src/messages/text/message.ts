import type {
  ActionsBlock,
  Button,
  ContextBlock,
  KnownBlock,
  MrkdwnElement,
  Overflow,
  PlainTextElement,
  SectionBlock,
} from '@slack/types';
import type { AnyRequest } from '../../core/model/any-request.ts';
import { cutEnd } from './escape.ts';
import { blocksBudget, charactersOf, fitInto, howManyFit, limits } from './limits.ts';
import {
  andMore,
  inMrkdwn,
  inPlain,
  inText,
  type OwnWords,
  type Phrase,
  type Sayable,
  say,
} from './phrase.ts';

/** A message to post. `text` must say everything, because screen readers and notifications use nothing else. */
export type Message = { readonly text: string; readonly blocks: KnownBlock[] };

/** An entry of a list, or nothing if its condition does not hold: "count > 0 && say`…`". */
export type Optional<T> = T | false | null;

/** Returns the entries that are there. */
export function present<T>(parts: readonly Optional<T>[]): T[] {
  return parts.filter((part): part is T => part !== false && part !== null);
}

/** Makes text with formatting. `verbatim` keeps Slack from making links and mentions of text that only looks like them. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Makes text without formatting and without `:emoji:`. */
export function plainText(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: cutEnd(text, max), emoji: false };
}

/** Makes a paragraph of one or more lines; lines that do not fit are counted. */
export function section(lines: readonly Phrase[], accessory?: Button | Overflow): SectionBlock {
  const shown = lines.map((line) => inMrkdwn(line));
  const text = mrkdwn(fitInto(shown, { max: limits.sectionText, joint: '\n' }));
  return accessory === undefined ? { type: 'section', text } : { type: 'section', text, accessory };
}

/** Makes the small gray line below a paragraph. */
export function context(phrase: Phrase): ContextBlock {
  return { type: 'context', elements: [mrkdwn(inMrkdwn(phrase, limits.contextText))] };
}

/** Makes a row of buttons and menus; those beyond Slack's limit are dropped. */
export function actions(buttons: readonly Optional<Button | Overflow>[]): ActionsBlock {
  return { type: 'actions', elements: present(buttons).slice(0, limits.actionsElements) };
}

type ButtonOptions = {
  /** Sent back when pressed. */
  readonly value?: string | undefined;
  /** Opens in the browser. */
  readonly url?: string | undefined;
  readonly style?: 'primary' | 'danger' | undefined;
  /**
   * What a screen reader says after the label, if the label alone does not name its object; starts with a space or colon.
   * People who control their computer by voice say the words they see, so the label always comes first (WCAG 2.5.3).
   */
  readonly spokenAfter?: Phrase | undefined;
  /** A dialog that asks for confirmation first. */
  readonly confirm?:
    | {
        readonly title: string;
        readonly text: Phrase;
        readonly yes: string;
        readonly style: 'primary' | 'danger';
      }
    | undefined;
};

/** Makes a button. Throws if its value or URL is longer than Slack accepts, because cutting it would make it wrong. */
export function button(actionId: string, label: string, options: ButtonOptions = {}): Button {
  const { value, url, style, spokenAfter, confirm } = options;
  if ((value ?? '').length > limits.buttonValue) throw new RangeError(`The value of ${actionId} is too long`);
  if ((url ?? '').length > limits.buttonUrl) throw new RangeError(`The address of ${actionId} is too long`);
  const spoken = spokenAfter && cutEnd(inPlain([label, ...spokenAfter]), limits.accessibilityLabel);
  return {
    type: 'button',
    action_id: actionId,
    text: plainText(label, limits.buttonText),
    ...(value !== undefined && { value }),
    ...(url !== undefined && { url }),
    ...(style && { style }),
    ...(spoken !== undefined && { accessibility_label: spoken }),
    ...(confirm && {
      confirm: {
        title: plainText(confirm.title, limits.confirmTitle),
        text: plainText(inPlain(confirm.text), limits.confirmText),
        confirm: plainText(confirm.yes, limits.confirmButton),
        deny: plainText('Cancel', limits.confirmButton),
        style: confirm.style,
      },
    }),
  };
}

/** Makes a button whose value is the request, and whose id is the act, with a `variant` for a second one in a block: Slack wants each id once. */
export function requestButton(
  label: string,
  request: AnyRequest,
  { variant, ...options }: Omit<ButtonOptions, 'value'> & { readonly variant?: string | undefined } = {},
): Button {
  const actionId = variant === undefined ? request.act : `${request.act}.${variant}`;
  return button(actionId, label, { ...options, value: JSON.stringify(request) });
}

/** Makes a row of buttons as a list of blocks, which is empty if there are none. */
export function buttonRow(buttons: readonly Optional<Button | Overflow>[]): KnownBlock[] {
  return present(buttons).length === 0 ? [] : [actions(buttons)];
}

/** Makes Previous and Next buttons for the pages that exist; none for a single page. `page` counts from 0; `of` names what is paged. */
export function pageButtons(
  requestAt: (page: number) => AnyRequest,
  { page, pages, of }: { readonly page: number; readonly pages: number; readonly of: string },
): Button[] {
  const to = (label: string, there: number, variant: string) =>
    requestButton(label, requestAt(there), { variant, spokenAfter: [` page of ${of}`] });
  return present([
    page > 0 && to('Previous', page - 1, 'previous'),
    page < pages - 1 && to('Next', page + 1, 'next'),
  ]);
}

/** Returns the page that exists nearest to a wanted one; both count from 0. `pages` is at least 1. */
export function nearestPage(page: number, pages: number): number {
  return Math.min(Math.max(0, Math.trunc(page) || 0), pages - 1);
}

/** Returns " (page 2 of 5)", to follow a count; nothing for a single page. `page` counts from 0. */
export function pageOf(page: number, pages: number): Phrase {
  return pages <= 1 ? [] : [` (page ${page + 1} of ${pages})`];
}

/** Reads the page that a button or a Home tab names; the first page if the value is not ours. */
export function readPage(value: string): number {
  return /^\d{1,6}$/.test(value) ? Number(value) : 0;
}

/** Makes the menu behind `⋯`: at most five entries (types, Overflow). Throws if a request is longer than Slack accepts. */
export function menu(entries: readonly { readonly label: string; readonly request: AnyRequest }[]): Overflow {
  const options = entries.map(({ label, request }) => ({
    text: plainText(label, limits.optionText),
    value: JSON.stringify(request),
  }));
  if (options.some(({ value }) => value.length > limits.optionValue)) {
    throw new RangeError('A value in a menu is too long');
  }
  return { type: 'overflow', action_id: 'menu', options };
}

/** A paragraph below the first one, with a button beside it. */
export type MessageRow = { readonly lines: readonly Phrase[]; readonly button?: Button | undefined };

/**
 * Makes the usual short message: `lines` are one paragraph, `rows` further ones, `small` follows in gray, `buttons` come last. Rows that do not
 * fit are counted: names whose characters must be escaped are several times longer than they look.
 */
export function messageOf(parts: {
  readonly lines: readonly Optional<Phrase>[];
  readonly rows?: readonly MessageRow[];
  readonly small?: readonly Optional<Phrase>[] | undefined;
  readonly buttons?: readonly Optional<Button>[] | undefined;
}): Message {
  const [lines, small] = [present(parts.lines), present(parts.small ?? [])];
  const { rows = [], buttons = [] } = parts;
  const head = section(lines);
  const tail = [...small.map(context), ...buttonRow(buttons)];
  const below = rows.map((row) => section(row.lines, row.button));
  const note = { characters: 60, blocks: 1 };
  const room = limits.messageBlocks - tail.length - 1;
  const taken = Math.min(
    howManyFit(below.map(charactersOf), blocksBudget - charactersOf([head, ...tail]), note.characters),
    below.length <= room ? below.length : room - note.blocks,
  );
  const spoken = [...lines, ...rows.flatMap((row) => row.lines), ...small].map((line) => inText(line));
  return {
    text: fitInto(spoken, { max: limits.text, joint: '\n' }),
    blocks: [
      head,
      ...below.slice(0, taken),
      ...andMore(below.length - taken, 'paragraph').map((line) => section([line])),
      ...tail,
    ],
  };
}

/** Writes a message of one sentence: "notice`Declined. Nothing was added.`". Takes what `say` takes. */
export function notice<const Values extends readonly Sayable[]>(
  words: TemplateStringsArray,
  ...values: Values & OwnWords<Values>
): Message {
  return messageOf({ lines: [say(words, ...values)] });
}

/** Returns whether something in a block can be pressed. */
export function isPressed(block: KnownBlock): boolean {
  return block.type === 'actions' || (block.type === 'section' && block.accessory !== undefined);
}
