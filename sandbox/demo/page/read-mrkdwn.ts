import type { Fields } from '../../slack/json.ts';

/** The style of a piece of text in rich text. */
type Style = { bold?: true; italic?: true; strike?: true; code?: true };

type Reading = { readonly style: Style; readonly autoLinks: boolean };

const MARKS: Readonly<Record<string, keyof Style>> = { '*': 'bold', _: 'italic', '~': 'strike' };

/**
 * Formatting within a line, in order of precedence: code, a control sequence, styled text (at word boundaries only; a zero-width space
 * counts as space), an emoji, a bare address.
 */
const SPECIAL =
  /(?<code>`[^`\n]+`)|<(?<control>[^<>\n]+)>|(?<![\p{L}\p{N}*_~])(?<mark>[*_~])(?=[^\s\u200b])(?<inside>[^\n]*?[^\s\u200b])\k<mark>(?![\p{L}\p{N}])|:(?<emoji>[a-z+-][a-z0-9_+'-]*):|(?<address>https?:\/\/[^\s<>|]+)/u;

/**
 * Parses Slack's mrkdwn into rich text blocks, which need no further parsing.
 * @param verbatim bare addresses do not become links (Slack docs: text objects)
 */
export function readMrkdwn(text: string, { verbatim }: { verbatim: boolean }): Fields[] {
  const reading: Reading = { style: {}, autoLinks: !verbatim };
  return text.split('```').flatMap((part, index, parts) => {
    const isFenced = index % 2 === 1 && index < parts.length - 1;
    if (isFenced) return [preformatted(part)];
    const unfenced = index % 2 === 1 ? `\`\`\`${part}` : part;
    return paragraphs(unfenced, reading);
  });
}

function preformatted(text: string): Fields {
  return {
    type: 'rich_text_preformatted',
    elements: [{ type: 'text', text: decoded(text.replace(/^\n/, '')) }],
  };
}

/** Lines that start with `>` are quotes; consecutive ones form one quote. */
function paragraphs(text: string, reading: Reading): Fields[] {
  const blocks: { quote: boolean; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const quote = /^(&gt;|>)/.test(line);
    const last = blocks.at(-1);
    const shown = line.replace(/^(&gt;|>) ?/, '');
    if (last?.quote === quote) last.lines.push(shown);
    else blocks.push({ quote, lines: [shown] });
  }
  return blocks
    .filter(({ lines }) => lines.some((line) => line !== ''))
    .map(({ quote, lines }) => ({
      type: quote ? 'rich_text_quote' : 'rich_text_section',
      elements: inline(lines.join('\n'), reading),
    }));
}

function inline(text: string, reading: Reading): Fields[] {
  const found = SPECIAL.exec(text);
  if (found === null) return plain(text, reading);
  const before = plain(text.slice(0, found.index), reading);
  const after = inline(text.slice(found.index + found[0].length), reading);
  return [...before, ...special(found, reading), ...after];
}

function special(found: RegExpExecArray, reading: Reading): Fields[] {
  const { code, control, mark, inside = '', emoji, address } = found.groups ?? {};
  const { style, autoLinks } = reading;
  if (code !== undefined) return [{ type: 'text', text: decoded(code.slice(1, -1)), style: { code: true } }];
  if (control !== undefined) return [readControl(control, style)];
  const format = MARKS[mark ?? ''];
  if (format !== undefined) return inline(inside, { style: { ...style, [format]: true }, autoLinks });
  if (emoji !== undefined) return [{ type: 'emoji', name: emoji }];
  if (address !== undefined && autoLinks) return [{ type: 'link', url: decoded(address), style }];
  return plain(found[0], reading);
}

/** Slack: `<@U…>`, `<#C…>`, `<!here>`, `<!date^…^…|…>`; everything else is an address. */
function readControl(control: string, style: Style): Fields {
  const bar = control.indexOf('|');
  const target = bar < 0 ? control : control.slice(0, bar);
  const label = bar < 0 ? undefined : decoded(control.slice(bar + 1));
  const rest = target.slice(1);
  if (target.startsWith('@')) return { type: 'user', user_id: rest, style };
  if (target.startsWith('#')) return { type: 'channel', channel_id: rest, style };
  if (target.startsWith('!date^')) {
    const [, timestamp, format = ''] = target.split('^');
    return { type: 'date', timestamp: Number(timestamp), format, fallback: label ?? '', style };
  }
  if (target.startsWith('!subteam^')) return { type: 'usergroup', usergroup_id: rest.split('^')[1], style };
  if (target.startsWith('!')) return { type: 'broadcast', range: rest, style };
  return { type: 'link', url: decoded(target), ...(label !== undefined && { text: label }), style };
}

function plain(text: string, { style }: Reading): Fields[] {
  return text === '' ? [] : [{ type: 'text', text: decoded(text), style }];
}

/** Slack decodes only these three entities, once. */
function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
