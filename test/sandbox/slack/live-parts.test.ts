import { expect, test } from 'vitest';
import { findLiveParts } from '../../../sandbox/slack/live-parts.ts';
import { buttonOf, markup, sectionOf, text } from './support.ts';

const known = {
  users: new Map([['dana', 'U1']]),
  channels: new Map([['plans', 'C1']]),
};

const none = { mentions: [], links: [], oddities: [] };

const mentions: [string, { kind: string; id: string }][] = [
  ['<@U123ABC>', { kind: 'user', id: 'U123ABC' }],
  ['<@W123ABC|dana>', { kind: 'user', id: 'W123ABC' }],
  ['<!subteam^S12|@team>', { kind: 'usergroup', id: 'S12' }],
  ['<!here>', { kind: 'broadcast', id: 'here' }],
  ['<!channel|channel>', { kind: 'broadcast', id: 'channel' }],
  ['a <!everyone> b', { kind: 'broadcast', id: 'everyone' }],
  ['<#C123|plans>', { kind: 'channel', id: 'C123' }],
];

test.each(mentions)('%s is live in text', (words, expected) => {
  expect(findLiveParts({ text: words }).mentions).toMatchObject([
    { ...expected, auto: false, where: '/text' },
  ]);
});

test.each(mentions)('%s is live in a mrkdwn object, verbatim or not', (words, expected) => {
  const blocks = [{ type: 'section', text: markup(words, { verbatim: true }) }];
  expect(findLiveParts({ blocks }).mentions).toMatchObject([{ ...expected, where: '/blocks/0/text' }]);
});

test.each(mentions)('%s escaped is not live', (words) => {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  expect(findLiveParts({ text: escaped, blocks: [sectionOf(escaped)] })).toEqual(none);
});

test('entities are decoded only once', () => {
  expect(findLiveParts({ text: '&amp;lt;!channel&amp;gt; &lt;!channel&gt;' })).toEqual(none);
});

test.each([
  ['<https://good.example|Plan>', { url: 'https://good.example', label: 'Plan' }],
  [
    '<https://evil.example|https://good.example>',
    { url: 'https://evil.example', label: 'https://good.example' },
  ],
  ['<javascript:alert(1)|Plan>', { url: 'javascript:alert(1)', label: 'Plan' }],
  ['<mailto:a@b.example>', { url: 'mailto:a@b.example' }],
  ['<!date^1700000000^{date}^https://evil.example|then>', { url: 'https://evil.example', label: 'then' }],
])('%s is a link', (words, expected) => {
  expect(findLiveParts({ text: words }).links).toMatchObject([{ kind: 'text', ...expected }]);
});

test('a date without a URL is not a link', () => {
  expect(findLiveParts({ text: '<!date^1700000000^{date_short}|19 Nov>' })).toEqual(none);
});

test('angle brackets without meaning in Slack are recorded as oddities', () => {
  expect(findLiveParts({ text: 'in <Level 1> now' })).toEqual({
    ...none,
    oddities: [{ raw: '<Level 1>', where: '/text' }],
  });
});

test('plain words are live in a mrkdwn object unless it is verbatim', () => {
  const words =
    'see https://evil.example and www.evil.example, ask evil@e.example, @channel @dana #plans #nowhere';
  const found = findLiveParts({ blocks: [sectionOf(words)] }, known);
  expect(found.links.map(({ kind, url }) => [kind, url])).toEqual([
    ['auto', 'https://evil.example'],
    ['auto', 'www.evil.example,'],
    ['auto', 'mailto:evil@e.example'],
  ]);
  expect(found.mentions.map(({ kind, id, auto }) => [kind, id, auto])).toEqual([
    ['broadcast', 'channel', true],
    ['user', 'U1', true],
    ['channel', 'C1', true],
  ]);
  expect(
    findLiveParts({ blocks: [{ type: 'section', text: markup(words, { verbatim: true }) }] }, known),
  ).toEqual(none);
});

test('plain words in the top-level text: URLs are live without blocks, names only on request', () => {
  const words = 'https://evil.example @channel';
  expect(findLiveParts({ text: words }).links).toHaveLength(1);
  expect(findLiveParts({ text: words }).mentions).toEqual([]);
  expect(findLiveParts({ text: words, parse: 'none' })).toEqual(none);
  expect(findLiveParts({ text: words, blocks: [{ type: 'divider' }] })).toEqual(none);
  expect(findLiveParts({ text: words, linkNames: true }).mentions).toMatchObject([{ kind: 'broadcast' }]);
  expect(findLiveParts({ text: words, parse: 'full' }).mentions).toMatchObject([{ kind: 'broadcast' }]);
});

test('nothing in a plain_text object is live', () => {
  const words = '<!channel> <@U1> https://evil.example @here';
  expect(findLiveParts({ blocks: [{ type: 'header', text: text(words) }] }, known)).toEqual(none);
});

test('in rich text only elements are live, never words', () => {
  const elements = [
    { type: 'text', text: '<!channel> https://evil.example @here' },
    { type: 'user', user_id: 'U1' },
    { type: 'broadcast', range: 'here' },
    { type: 'link', url: 'https://good.example', text: 'Plan' },
  ];
  const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
  const found = findLiveParts({ blocks }, known);
  expect(found.mentions.map(({ kind, id }) => [kind, id])).toEqual([
    ['user', 'U1'],
    ['broadcast', 'here'],
  ]);
  expect(found.links).toMatchObject([{ kind: 'rich_text', url: 'https://good.example', label: 'Plan' }]);
});

test('URLs of buttons and images are links of their own kind', () => {
  const blocks = [
    { type: 'actions', elements: [buttonOf('Open', 'a', { url: 'https://good.example/plan' })] },
    { type: 'image', image_url: 'https://evil.example/pixel.png', alt_text: 'a' },
  ];
  expect(findLiveParts({ blocks }).links).toMatchObject([
    { kind: 'button', url: 'https://good.example/plan', label: 'Open' },
    { kind: 'image', url: 'https://evil.example/pixel.png' },
  ]);
});

test('markdown blocks and legacy attachments are read too', () => {
  const blocks = [{ type: 'markdown', text: '[Plan](https://evil.example) <!here>' }];
  const found = findLiveParts({ blocks, attachments: [{ text: '<@U9>', title_link: 'https://t.example' }] });
  expect(found.links.map(({ url }) => url)).toEqual(['https://evil.example', 'https://t.example']);
  expect(found.mentions.map(({ id }) => id)).toEqual(['here', 'U9']);
});
