import { expect, test } from 'vitest';
import { renderBlocks, type Surface } from '../../../sandbox/demo/page/render-blocks.ts';
import { unescaped } from '../../../sandbox/service/html.ts';
import { findElements, labelOf } from '../../../sandbox/slack/find-elements.ts';
import { type Fields, fieldsListOf, fieldsOf, stringOf } from '../../../sandbox/slack/json.ts';
import { galleryCases } from '../../messages/gallery-cases.ts';

const surface: Surface = {
  id: 's',
  reader: { zone: 'Europe/London', now: new Date('2026-03-04T09:00:00Z'), users: [], channels: [] },
  choices: { users: [], channels: [] },
};

const text = (words: string): Fields => ({ type: 'plain_text', text: words });

/** Returns what a press on each button or option would send, and its text. */
function presses(html: string) {
  return [...html.matchAll(/<(button|a) [^>]*data-press[^>]*>([^<]*)</g)].map(([tag = '', , words = '']) => ({
    blockId: attribute(tag, 'data-block'),
    actionId: attribute(tag, 'data-action'),
    value: attribute(tag, 'data-value'),
    url: attribute(tag, 'href'),
    words: unescaped(words),
  }));
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"|^<a ${name}="([^"]*)"`).exec(tag);
  return value === null ? undefined : unescaped(value[1] ?? value[2] ?? '');
}

test('every button and menu option of every message carries its own block, action and value', () => {
  const messages = galleryCases.map(({ message }) => withBlockIds(message.blocks));
  const drawn = messages.flatMap((blocks) => presses(renderBlocks(blocks, surface).text));
  const wanted = messages.flatMap(findElements).flatMap((found) => {
    const words = labelOf(found);
    const { blockId, actionId, element } = found;
    if (element.type === 'overflow') {
      return fieldsListOf(element.options).map((option) => ({
        blockId,
        actionId,
        value: stringOf(option.value),
        url: undefined,
        words: stringOf(fieldsOf(option.text).text) ?? '',
      }));
    }
    return words === undefined
      ? []
      : [{ blockId, actionId, value: stringOf(element.value), url: stringOf(element.url), words }];
  });
  expect(wanted.length).toBeGreaterThan(20);
  expect(drawn).toEqual(wanted);
});

test('text from elsewhere is never markup, in any field', () => {
  const nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  const blocks: Fields[] = [
    { type: 'header', block_id: 'h', text: text(nasty) },
    { type: 'section', block_id: 's', text: { type: 'mrkdwn', text: nasty.replaceAll('<', '&lt;') } },
    { type: 'section', block_id: 'f', fields: [text(nasty)] },
    { type: 'context', block_id: 'c', elements: [text(nasty)] },
    {
      type: 'actions',
      block_id: nasty,
      elements: [
        { type: 'button', action_id: nasty, value: nasty, text: text(nasty), accessibility_label: nasty },
      ],
    },
    {
      type: 'input',
      block_id: 'i',
      label: text(nasty),
      hint: text(nasty),
      element: { type: 'static_select', action_id: 'x', options: [{ text: text(nasty), value: nasty }] },
    },
  ];
  const html = renderBlocks(blocks, { ...surface, errors: { i: nasty } }).text;
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toMatch(/<script|<img/);
});

test.each([
  ['plain_text_input', { initial_value: 'A-101' }, /<input type="text"[^>]* value="A-101"/],
  ['timepicker', { initial_time: '09:30' }, /<input type="time"[^>]* value="09:30"/],
  ['static_select', { options: [{ text: text('One'), value: '1' }] }, /<select .*<option value="1">One/],
  ['checkboxes', { options: [{ text: text('One'), value: '1' }] }, /<input type="checkbox"[^>]* value="1"/],
  ['radio_buttons', { options: [{ text: text('One'), value: '1' }] }, /<input type="radio"[^>]* value="1"/],
  ['conversations_select', {}, /<select .*<option value="C1">#plans/],
])('a %s is a native control of the browser, with its label', (type, more, expected) => {
  const element = { type, action_id: 'a', ...more };
  const channels = [{ id: 'C1', name: 'plans', kind: 'public' as const, botIn: true, members: [] }];
  const blocks = [{ type: 'input', block_id: 'b', label: text('What'), element }];
  const html = renderBlocks(blocks, { ...surface, choices: { users: [], channels } }).text;
  expect(html).toMatch(expected);
  expect(html).toMatch(/<label class="label" for="s-b-a">What|role="(radio)?group"[^>]* aria-label="What"/);
});

test('a field says what is wrong with it, also to screen readers', () => {
  const blocks = [
    {
      type: 'input',
      block_id: 'b',
      label: text('Code'),
      element: { type: 'plain_text_input', action_id: 'a' },
    },
  ];
  const html = renderBlocks(blocks, { ...surface, errors: { b: 'That is not it.' } }).text;
  expect(html).toMatch(/aria-describedby="s-b-a-error" aria-invalid="true"/);
  expect(html).toContain('<p class="error" id="s-b-a-error">That is not it.</p>');
});

test('a table names its columns and rows, and contains what was put into it', () => {
  const cell = (words: string): Fields => ({ type: 'raw_text', text: words });
  const rich: Fields = {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: [{ type: 'text', text: 'Dana', style: { bold: true } }] },
    ],
  };
  const rows = [
    [cell('File'), cell('Changes'), cell('By')],
    [cell('A<1>.pdf'), { type: 'raw_number', value: 12, text: '12' }, rich],
  ];
  const html = renderBlocks(
    [{ type: 'data_table', block_id: 'b', caption: 'Since 9:00', rows }],
    surface,
  ).text;
  expect(html).toContain('<caption>Since 9:00</caption>');
  expect(html).toContain('<th scope="col">Changes</th>');
  expect(html).toContain('<th scope="row">A&lt;1&gt;.pdf</th>');
  expect(html).toContain('<td class="number">12</td>');
  expect(html).toContain('Dana');
});

test('each choice in a menu of a message sends its own value', () => {
  const options = ['mute', 'why'].map((value) => ({ text: text(value.toUpperCase()), value }));
  const accessory = { type: 'overflow', action_id: 'more', options };
  const html = renderBlocks(
    [{ type: 'section', block_id: 'b', text: text('Dana'), accessory }],
    surface,
  ).text;
  expect(presses(html)).toMatchObject([
    { blockId: 'b', actionId: 'more', value: 'mute', words: 'MUTE' },
    { blockId: 'b', actionId: 'more', value: 'why', words: 'WHY' },
  ]);
  expect(html).toContain('<summary aria-label="More actions">');
});

/** Gives every block an id, as Slack does. */
function withBlockIds(blocks: unknown): Fields[] {
  return fieldsListOf(blocks).map((block, index) => ({ block_id: `b${index}`, ...block }));
}
