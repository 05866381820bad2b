import type { Message } from '../../src/messages/text/message.ts';

/** Returns a message or form as a person sees it, one line per element, for snapshots that are easy to read. */
export function asSeen(
  message: Message | { readonly type: 'modal' | 'home'; readonly blocks: readonly unknown[] },
): string {
  const blocks = message.blocks.flatMap((block) => linesOf(block));
  if ('text' in message) return [`text: ${readable(message.text)}`, ...blocks].join('\n');
  if (message.type === 'home') return ['Home tab', ...blocks].join('\n');
  const { title, submit, close, callback_id } = fields(message);
  return [`form ${callback_id}: ${textOf(title)} [${textOf(close)}] [${textOf(submit)}]`, ...blocks].join(
    '\n',
  );
}

/** Shows dates as their fallback text and zero-width spaces as a dot. */
export function readable(text: string): string {
  return text.replace(/<!date\^\d+\^([^|]*)\|([^>]*)>/g, '⟨$2⟩').replaceAll('\u200B', '·');
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return readable(String(fields(value).text ?? ''));
}

function linesOf(value: unknown): string[] {
  const block = fields(value);
  switch (block.type) {
    case 'section':
      return [
        ...shortened(textOf(block.text).split('\n')).map((line) => `  | ${line}`),
        ...buttonLines([block.accessory]),
      ];
    case 'context':
      return listOf(block.elements).map((element) => `  . ${textOf(element)}`);
    case 'actions':
      return buttonLines(listOf(block.elements));
    case 'header':
      return [`  # ${textOf(block.text)}`];
    case 'input':
      return [
        `  field ${block.block_id}: ${textOf(block.label)} (${textOf(block.hint)})${heldAtFirst(block)}`,
      ];
    default:
      return [`  ${String(block.type)}`];
  }
}

/** Returns the options and initial value of a field. */
function heldAtFirst({ element }: Fields): string {
  const { options, ...rest } = fields(element);
  const initial = Object.entries(rest).filter(([key]) => key.startsWith('initial_'));
  const offered = listOf(options).map((option) => `<${textOf(fields(option).text)}>`);
  const held = initial.map(
    ([, value]) =>
      ` =${JSON.stringify(listOf(value).length > 0 ? listOf(value).map(chosen) : chosen(value))}`,
  );
  return [offered.length > 0 ? ` ${offered.join(' ')}` : '', ...held].join('');
}

function chosen(value: unknown): unknown {
  return typeof value === 'string' ? value : fields(value).value;
}

/** Shortens a long list to its first lines and a count. */
function shortened(lines: readonly string[]): readonly string[] {
  return lines.length <= 12 ? lines : [...lines.slice(0, 4), `(${lines.length - 4} lines more)`];
}

function buttonLines(elements: readonly unknown[]): string[] {
  return elements
    .filter((element) => element !== undefined)
    .map((element) => {
      const { text, action_id, value, url, style, accessibility_label, confirm } = fields(element);
      const more = [
        value === undefined ? '' : ` =${value}`,
        url === undefined ? '' : ` ${url}`,
        style === undefined ? '' : ` ${style}`,
        accessibility_label === undefined ? '' : ` spoken "${accessibility_label}"`,
        confirm === undefined
          ? ''
          : ` asks "${textOf(fields(confirm).title)} ${textOf(fields(confirm).text)}"`,
      ];
      return `  [${textOf(text)}] ${action_id}${more.join('')}`;
    });
}
