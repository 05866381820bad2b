import { expect, test } from 'vitest';
import type { Surface } from '../../../sandbox/slack/block-checks.ts';
import { validateBlocks, validateView } from '../../../sandbox/slack/block-kit.ts';
import { buttonOf, inputOf, markup, modalOf, sectionOf, text } from './support.ts';

const x = (count: number): string => 'x'.repeat(count);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const option = (value: string) => ({ text: text(value), value });
const actions = (...elements: unknown[]) => ({ type: 'actions', elements });
const select = (more: Record<string, unknown>) => ({ type: 'static_select', action_id: 'a', ...more });
const image = { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'a plan' };

interface Case {
  name: string;
  block: unknown;
  pointer: string;
  surface?: Surface;
}

const bad: Case[] = [
  { name: 'a section of 3,001 characters', block: sectionOf(x(3001)), pointer: '/blocks/0/text/text' },
  { name: 'a section without text or fields', block: { type: 'section' }, pointer: '/blocks/0' },
  { name: 'an empty text', block: sectionOf(''), pointer: '/blocks/0/text/text' },
  {
    name: 'eleven fields',
    block: { type: 'section', fields: times(11, () => markup('a')) },
    pointer: '/blocks/0/fields',
  },
  {
    name: 'a field of 2,001',
    block: { type: 'section', fields: [markup(x(2001))] },
    pointer: '/blocks/0/fields/0/text',
  },
  { name: 'a header of 151', block: { type: 'header', text: text(x(151)) }, pointer: '/blocks/0/text/text' },
  {
    name: 'a header with markup',
    block: { type: 'header', text: markup('a') },
    pointer: '/blocks/0/text/type',
  },
  {
    name: 'eleven context elements',
    block: { type: 'context', elements: times(11, () => markup('a')) },
    pointer: '/blocks/0/elements',
  },
  {
    name: '26 actions',
    block: actions(...times(26, (index) => buttonOf('Go', `a${index}`))),
    pointer: '/blocks/0/elements',
  },
  { name: 'a button of 76', block: actions(buttonOf(x(76), 'a')), pointer: '/blocks/0/elements/0/text/text' },
  {
    name: 'a value of 2,001',
    block: actions(buttonOf('Go', 'a', { value: x(2001) })),
    pointer: '/blocks/0/elements/0/value',
  },
  {
    name: 'a url of 3,001',
    block: actions(buttonOf('Go', 'a', { url: `https://e.example/${x(3000)}` })),
    pointer: '/blocks/0/elements/0/url',
  },
  {
    name: 'an invalid url',
    block: actions(buttonOf('Go', 'a', { url: 'plans' })),
    pointer: '/blocks/0/elements/0/url',
  },
  {
    name: 'an invalid style',
    block: actions(buttonOf('Go', 'a', { style: 'blue' })),
    pointer: '/blocks/0/elements/0/style',
  },
  {
    name: 'an action id of 256',
    block: actions(buttonOf('Go', x(256))),
    pointer: '/blocks/0/elements/0/action_id',
  },
  {
    name: 'an action id twice in a block',
    block: actions(buttonOf('Go', 'a'), buttonOf('Stop', 'a')),
    pointer: '/blocks/0/elements/1/action_id',
  },
  { name: 'a block id of 256', block: { type: 'divider', block_id: x(256) }, pointer: '/blocks/0/block_id' },
  {
    name: 'a confirm title of 101',
    block: actions(buttonOf('Go', 'a', { confirm: { title: text(x(101)), text: text('Sure?') } })),
    pointer: '/blocks/0/elements/0/confirm/title/text',
  },
  {
    name: '101 options',
    block: actions(select({ options: times(101, (i) => option(`o${i}`)) })),
    pointer: '/blocks/0/elements/0/options',
  },
  {
    name: '101 groups',
    block: actions(
      select({ option_groups: times(101, (i) => ({ label: text('g'), options: [option(`o${i}`)] })) }),
    ),
    pointer: '/blocks/0/elements/0/option_groups',
  },
  { name: 'a select without options', block: actions(select({})), pointer: '/blocks/0/elements/0' },
  {
    name: 'an option of 76',
    block: actions(select({ options: [{ text: text(x(76)), value: 'a' }] })),
    pointer: '/blocks/0/elements/0/options/0/text/text',
  },
  {
    name: 'an option value of 76',
    block: actions(select({ options: [{ text: text('a'), value: x(76) }] })),
    pointer: '/blocks/0/elements/0/options/0/value',
  },
  {
    name: 'an initial option that is not an option',
    block: actions(select({ options: [option('a')], initial_option: option('b') })),
    pointer: '/blocks/0/elements/0/initial_option',
  },
  {
    name: 'a placeholder of 151',
    block: actions(select({ options: [option('a')], placeholder: text(x(151)) })),
    pointer: '/blocks/0/elements/0/placeholder/text',
  },
  {
    name: 'six overflow entries',
    block: actions({ type: 'overflow', action_id: 'a', options: times(6, (i) => option(`o${i}`)) }),
    pointer: '/blocks/0/elements/0/options',
  },
  {
    name: 'eleven checkboxes',
    block: actions({ type: 'checkboxes', action_id: 'a', options: times(11, (i) => option(`o${i}`)) }),
    pointer: '/blocks/0/elements/0/options',
  },
  {
    name: 'a date in another format',
    block: actions({ type: 'datepicker', action_id: 'a', initial_date: '20.11.2026' }),
    pointer: '/blocks/0/elements/0/initial_date',
  },
  {
    name: 'a text input outside an input block',
    block: actions({ type: 'plain_text_input' }),
    pointer: '/blocks/0/elements/0/type',
  },
  {
    name: 'a response url requested outside a modal',
    block: inputOf('b', { type: 'conversations_select', action_id: 'a', response_url_enabled: true }),
    pointer: '/blocks/0/element/response_url_enabled',
  },
  {
    name: 'an image without alt text',
    block: { ...image, alt_text: undefined },
    pointer: '/blocks/0/alt_text',
  },
  { name: 'an image without a url', block: { type: 'image', alt_text: 'a' }, pointer: '/blocks/0' },
  { name: 'an alert in a message', block: { type: 'alert', text: text('Mind') }, pointer: '/blocks/0/type' },
  {
    name: 'markdown in a modal',
    block: { type: 'markdown', text: '# Hi' },
    pointer: '/blocks/0/type',
    surface: 'modal',
  },
  {
    name: 'a table in a modal',
    block: { type: 'table', rows: [] },
    pointer: '/blocks/0/type',
    surface: 'modal',
  },
  {
    name: 'a table of 101 rows',
    block: { type: 'table', rows: times(101, () => [{ type: 'raw_text', text: 'a' }]) },
    pointer: '/blocks/0/rows',
  },
  {
    name: 'a data table with ragged rows',
    block: {
      type: 'data_table',
      caption: 'Plans',
      rows: [[{ type: 'raw_text', text: 'a' }], times(2, () => ({ type: 'raw_text', text: 'b' }))],
    },
    pointer: '/blocks/0/rows',
  },
  {
    name: 'a card body of 201',
    block: { type: 'card', body: markup(x(201)) },
    pointer: '/blocks/0/body/text',
  },
  {
    name: 'empty rich text',
    block: {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }],
    },
    pointer: '/blocks/0/elements/0/elements/0/text',
  },
  { name: 'an unknown block', block: { type: 'sparkles' }, pointer: '/blocks/0/type' },
  { name: 'a misspelt field', block: sectionOf('a', { acessory: {} }), pointer: '/blocks/0/acessory' },
  { name: 'something that is not a block', block: 'hello', pointer: '/blocks/0/type' },
];

test.each(bad)('rejects $name', ({ block, pointer, surface = 'message' }) => {
  const problems = validateBlocks([block], surface);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ pointer, error: 'invalid_blocks' });
  expect(problems[0]?.sentence).toMatch(/^(The|Entry) .+\.$/);
});

const dividers = (count: number) => times(count, () => ({ type: 'divider' }));

test('rejects the 51st block of a message and the 101st of a view', () => {
  expect(validateBlocks(dividers(50), 'message')).toEqual([]);
  expect(validateBlocks(dividers(51), 'message')).toMatchObject([{ pointer: '/blocks' }]);
  expect(validateBlocks(dividers(100), 'home')).toEqual([]);
  expect(validateBlocks(dividers(101), 'modal')).toMatchObject([{ pointer: '/blocks' }]);
});

test('rejects a duplicate block id', () => {
  const blocks = times(2, () => ({ type: 'divider', block_id: 'same' }));
  expect(validateBlocks(blocks, 'message')).toMatchObject([{ pointer: '/blocks/1/block_id' }]);
});

test('rejects more than 12,000 characters in a message, with an error of its own', () => {
  expect(
    validateBlocks(
      times(4, () => sectionOf(x(3000))),
      'message',
    ),
  ).toEqual([]);
  const blocks = [...times(4, () => sectionOf(x(3000))), sectionOf('x')];
  expect(validateBlocks(blocks, 'message')).toMatchObject([
    { pointer: '/blocks', error: 'msg_blocks_too_long' },
  ]);
});

test('rejects a second element with focus_on_load', () => {
  const blocks = ['a', 'b'].map((id) =>
    inputOf(id, { type: 'plain_text_input', action_id: id, focus_on_load: true }),
  );
  expect(validateBlocks(blocks, 'modal')).toMatchObject([{ pointer: '/blocks/1/element/focus_on_load' }]);
});

test('rejects blocks that are not a list', () => {
  expect(validateBlocks({ type: 'divider' }, 'message')).toMatchObject([{ pointer: '/blocks' }]);
});

const input = inputOf('b', { type: 'plain_text_input', action_id: 'a' });

const badViews: { name: string; view: Record<string, unknown>; pointer: string }[] = [
  { name: 'a title of 25', view: modalOf(x(25), []), pointer: '/view/title/text' },
  { name: 'no title', view: { ...modalOf('a', []), title: undefined }, pointer: '/view/title' },
  { name: 'a submit of 25', view: modalOf('a', [], { submit: text(x(25)) }), pointer: '/view/submit/text' },
  {
    name: 'inputs without submit',
    view: modalOf('a', [input], { submit: undefined }),
    pointer: '/view/submit',
  },
  {
    name: 'metadata of 3,001',
    view: modalOf('a', [], { private_metadata: x(3001) }),
    pointer: '/view/private_metadata',
  },
  {
    name: 'a callback id of 256',
    view: modalOf('a', [], { callback_id: x(256) }),
    pointer: '/view/callback_id',
  },
  {
    name: 'a Home tab with a title',
    view: { type: 'home', title: text('a'), blocks: [] },
    pointer: '/view/title',
  },
  { name: 'an unknown kind', view: { type: 'page', blocks: [] }, pointer: '/view/type' },
  { name: 'no blocks', view: modalOf('a', [], { blocks: undefined }), pointer: '/view/blocks' },
  { name: 'an invalid block', view: modalOf('a', [sectionOf(x(3001))]), pointer: '/view/blocks/0/text/text' },
];

test.each(badViews)('rejects a view with $name', ({ view, pointer }) => {
  expect(validateView(view)).toMatchObject([{ pointer }]);
});
