import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { channelName } from '../../sandbox/demo/page/gallery.ts';
import { validateBlocks, validateView } from '../../sandbox/slack/block-kit.ts';
import { acts } from '../../src/core/acts/acts.ts';
import { settingIds } from '../../src/messages/admin/settings.ts';
import { formFields } from '../../src/messages/subscribing/form-fields.ts';
import { pickers } from '../../src/messages/subscribing/subscribe-form.ts';
import { limits } from '../../src/messages/text/limits.ts';
import { actionIds } from '../../src/messages/text/modal.ts';
import { formattedJson } from '../sandbox/demo/formatted-json.ts';
import { asSeen } from './as-seen.ts';
import { markupIn } from './as-slack-reads.ts';
import { now } from './changes.ts';
import { type GalleryCase, galleryCases, galleryGroups, galleryPeople } from './gallery-cases.ts';

test('every message reads as in the snapshot', async () => {
  const pictures = galleryCases.map(({ title, message }) => `## ${title}\n${asSeen(message)}\n`);
  await expect(pictures.join('\n')).toMatchFileSnapshot('gallery.snap.txt');
});

test('every message that can be made is in the gallery', async () => {
  const folder = new URL('../../src/messages/', import.meta.url);
  const sources = await Promise.all(
    (await readdir(folder, { recursive: true }))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  const makers = sources.flatMap((source) =>
    [
      ...source.matchAll(/^export function (\w+)\((?:[^)]|\)(?!:))*\): (?:Message|ModalView|HomeView) \{/gm),
    ].map(([, name = '']) => name),
  );
  const gallery = await readFile(new URL('gallery-cases.ts', import.meta.url), 'utf8');
  expect(makers).toEqual(expect.arrayContaining(['renderActivity', 'subscribeForm', 'homeView']));
  expect(
    makers.filter(
      (name) =>
        !['messageOf', 'messageFrom', 'homeTab', 'modal'].includes(name) && !gallery.includes(`${name}(`),
    ),
  ).toEqual([]);
});

test("the demo's gallery shows what the bot posts now", async () => {
  const renew = "Update the demo's gallery: npx vitest run test/messages/gallery.test.ts -u";
  await expect(
    formattedJson({ now, people: galleryPeople, groups: galleryGroups }),
    renew,
  ).toMatchFileSnapshot('../../sandbox/demo/gallery.json');
});

test('no two messages of the gallery have the same title', () => {
  const titles = galleryCases.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('no two channels of the gallery have the same name', () => {
  const ids = [...new Set(JSON.stringify(galleryCases).match(/\bC0\w+/g))];
  const names = ids.map(channelName);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.for(galleryCases)('Slack accepts "$title"', ({ message }: GalleryCase) => {
  const problems = 'text' in message ? validateBlocks(message.blocks, 'message') : validateView(message);
  expect(problems).toEqual([]);
});

test.for(galleryCases)('"$title" keeps Slack from interpreting its text', ({ message }: GalleryCase) => {
  const texts = textObjects(message.blocks);
  expect(texts.filter(({ type, verbatim }) => type === 'mrkdwn' && verbatim !== true)).toEqual([]);
  expect(texts.filter(({ type, emoji }) => type === 'plain_text' && emoji !== false)).toEqual([]);
});

test.for(galleryCases)('"$title" can be understood from its text alone', ({ message }: GalleryCase) => {
  const text = 'text' in message ? message.text : 'a form has none';
  expect(text.length).toBeGreaterThan(10);
  expect(text.length).toBeLessThanOrEqual(limits.text);
});

test.for(galleryCases)(
  'everything in "$title" that can be pressed, filled in or looked at has an accessible name',
  ({ message }: GalleryCase) => {
    expect(message.blocks.flatMap((block) => nameless(block))).toEqual([]);
  },
);

test('a missing accessible name is reported', () => {
  const button = { type: 'button', action_id: 'a', text: { type: 'plain_text', text: ' ' } };
  const select = { type: 'static_select', action_id: 'b', options: [] };
  expect(nameless({ type: 'actions', elements: [button, select] })).toEqual(['a', 'b']);
  expect(nameless({ type: 'input', label: { type: 'plain_text', text: '' }, element: select })).toEqual([
    'b',
  ]);
  expect(nameless({ type: 'image', image_url: 'https://x.example/a.png' })).toEqual(['image']);
});

test('buttons that look the same on one page differ in what is read aloud', () => {
  const alike = galleryCases.flatMap(({ title, message }) => {
    const spoken = elementsOf(message.blocks).map(
      ({ action_id, text, accessibility_label, value, options }) =>
        JSON.stringify([action_id, accessibility_label ?? textIn(text), value ?? options]),
    );
    return spoken.length === new Set(spoken).size ? [] : [title];
  });
  // One finding of each kind about the same subscription: no such message is ever posted.
  expect(alike).toEqual(['The doctor, many problems', 'The doctor, every state of a link and a pause']);
});

test('a person who speaks the words on a button presses it', () => {
  const wrong = galleryCases
    .flatMap(({ message }) => elementsOf(message.blocks))
    .filter(({ accessibility_label }) => accessibility_label !== undefined)
    .filter(({ accessibility_label, text }) => !String(accessibility_label).startsWith(textIn(text)));
  expect(wrong).toEqual([]);
});

test.for(galleryCases)(
  '"$title" pings nobody and links only where the admin said',
  ({ message }: GalleryCase) => {
    const texts = textObjects(message.blocks).flatMap(({ type, text }) =>
      type === 'mrkdwn' ? [String(text)] : [],
    );
    const markup = ['text' in message ? message.text : '', ...texts].flatMap(markupIn);
    expect(
      markup.filter(
        (found) =>
          !/^<!date\^|^<#C|^<@U0SAMOKAF1>$|^<https:\/\/(?:plans\.example\.com\/|bot\.example\.com\/slack\/install\|)/.test(
            found,
          ),
      ),
    ).toEqual([]);
  },
);

test('every field is listed, every button asks for an act of the table, and the gallery has all of them', () => {
  const listed = new Set<string>([...Object.values(actionIds), ...settingIds, ...formFields, pickers.target]);
  const elements = galleryCases.flatMap(({ message }) => elementsOf(message.blocks));
  const ids = elements.map(({ action_id }) => String(action_id));
  expect([...listed].filter((id) => !ids.includes(id))).toEqual([]);
  const inMenus = elements
    .filter(({ action_id }) => action_id === 'menu')
    .flatMap(({ options }) =>
      [options].flat().map((option) => JSON.parse(String(fieldsOf(option).value)).act),
    );
  const others = ids.filter((id) => !listed.has(id) && id !== 'menu').map((id) => id.split('.')[0]);
  const pressed = new Set<unknown>([...inMenus, ...others]);
  expect([...pressed].filter((act) => !Object.hasOwn(acts, String(act)))).toEqual([]);
  // What is only typed or filled in.
  expect(Object.keys(acts).filter((act) => !pressed.has(act))).toEqual([
    'subscribe',
    'unsubscribe',
    'unsubscribe-all',
    'mute',
    'unsubscribe-list',
    'why',
    'doctor',
    'status',
    'export',
    'save-settings',
    'remove-channel',
    'remove-person',
  ]);
});

function textObjects(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && 'text' in value && typeof value.text === 'string' ? [{ ...value }] : [];
  return [...own, ...Object.values(value).flatMap(textObjects)];
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textIn(value: unknown): string {
  return String(fieldsOf(value).text ?? '').trim();
}

/** Returns everything that has an `action_id`, at any depth. */
function elementsOf(value: unknown): Fields[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'action_id' in value ? [fieldsOf(value)] : [];
  return [...own, ...Object.values(value).flatMap(elementsOf)];
}

/**
 * Returns elements without an accessible name, which buttons get from their text, fields from the label around them, images from
 * `alt_text`.
 */
function nameless(value: unknown, label = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, action_id, ...rest } = fieldsOf(value);
  const spoken = type === 'input' ? textIn(rest.label) : label;
  const inside = Object.values(rest).flatMap((inner) => nameless(inner, spoken));
  if (type === 'image') return [...(String(rest.alt_text ?? '').trim() === '' ? ['image'] : []), ...inside];
  if (action_id === undefined) return inside;
  // Slack's clients name an overflow menu themselves; its options have names of their own.
  if (type === 'overflow')
    return [rest.options].flat().every((option) => textIn(fieldsOf(option).text)) ? [] : [String(action_id)];
  const name = type === 'button' ? String(rest.accessibility_label ?? '') || textIn(rest.text) : spoken;
  return name.trim() === '' ? [String(action_id), ...inside] : inside;
}
