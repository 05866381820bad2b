import { expect, test } from 'vitest';
import { readMrkdwn } from '../../../sandbox/demo/page/read-mrkdwn.ts';
import type { Fields } from '../../../sandbox/slack/json.ts';

/** Returns a short form of what was read: text with its styles in brackets, everything else by its type. */
function read(text: string, verbatim = true): string {
  return readMrkdwn(text, { verbatim }).map(blockInShort).join(' / ');
}

function blockInShort({ type, elements }: Fields): string {
  const inside = (elements as Fields[]).map(elementInShort).join('');
  return type === 'rich_text_section' ? inside : `${String(type).replace('rich_text_', '')}(${inside})`;
}

function elementInShort({ type, text, style, ...rest }: Fields): string {
  const styles = Object.keys(style ?? {}).join('+');
  if (type === 'text') return styles === '' ? String(text) : `[${styles} ${String(text)}]`;
  const shown = Object.values({ ...rest, text }).filter((value) => value !== undefined && value !== '');
  return `{${String(type)} ${shown.join(' ')}}`;
}

test.each([
  ['bold, italic and struck out', '*a* _b_ ~c~', '[bold a] [italic b] [strike c]'],
  ['nested styles', '*a _b_*', '[bold a ][bold+italic b]'],
  ['code, which is not parsed', '`*a* <!here>`', '[code *a* <!here>]'],
  ['marks within a word', 'A_101_rev*2*', 'A_101_rev*2*'],
  ['marks with space inside', '* a *', '* a *'],
  ['marks broken up by zero-width spaces', '\u200b*\u200bb\u200b*\u200b', '\u200b*\u200bb\u200b*\u200b'],
  ['entities, once', '&amp;lt; &lt;!channel&gt; &amp;', '&lt; <!channel> &'],
  ['people, channels and everybody', '<@U1> <#C1|plans> <!here>', '{user U1} {channel C1} {broadcast here}'],
  ['a link with words', '<https://a.example/?x=1&amp;y|go *on*>', '{link https://a.example/?x=1&y go *on*}'],
  ['a date', '<!date^1700000000^{time}|then>', '{date 1700000000 {time} then}'],
  ['a quote', '&gt; a\n&gt; b\nc', 'quote(a\nb) / c'],
  ['lines of code', 'x ```*a*\nb``` y', 'x  / preformatted(*a*\nb) /  y'],
  ['a time, which is not an emoji', '10:42:05', '10:42:05'],
  ['text that looks like a list or a heading', '# a\n- b\n1. c', '# a\n- b\n1. c'],
])('reads %s', (_what, text, expected) => {
  expect(read(text)).toBe(expected);
});

test('a bare URL is a link, unless the text is verbatim', () => {
  expect(read('see https://a.example', false)).toBe('see {link https://a.example}');
  expect(read('see https://a.example', true)).toBe('see https://a.example');
});
