import { expect, test } from 'vitest';
import { defaultNames, type HelpGroup } from '../../../src/core/model/commands.ts';
import { verbs } from '../../../src/core/model/verbs.ts';
import { brandedNames, namesBeside, readCommandName } from '../../../src/slack/grammar/command-names.ts';
import { helpEntries } from '../../../src/slack/grammar/help-entries.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

/** Placeholders in help, with what a person would type instead. */
const filledIn: readonly (readonly [string, string])[] = [
  ['https://…', 'https://plans.example/123456789'],
  [' ITEM', ' F1'],
  [' DOCUMENT', ' D1'],
  [' CODE', ' ABC234'],
  [' VERB', ' mute'],
  // Slack sends a mention instead.
  [' @dana', ' <@U1>'],
  [' @sam', ' <@U2>'],
];

function fillIn(usage: string): string {
  return filledIn.reduce((line, [shown, typed]) => line.replace(shown, typed), usage);
}

function usagesOf(groups: readonly HelpGroup[]): string[] {
  return groups.flatMap(({ lines }) => lines.map(({ usage }) => usage));
}

function behindBrand(line: string): string {
  return line.slice('/plancast '.length);
}

test('every verb has its help', () => {
  expect(new Set(helpEntries().map(({ topic }) => topic))).toEqual(new Set(verbs));
});

test('every form, option and example that help shows can be typed', () => {
  const entries = helpEntries(undefined, brandedNames('/plancast'));
  const lines = entries.flatMap(({ forms, options, defaults, examples }) => [
    ...forms.map(({ usage }) => behindBrand(fillIn(usage))),
    ...[...usagesOf(options), ...defaults].map((words) => `subscribe project 123-456-789 ${fillIn(words)}`),
    ...examples.map(behindBrand),
  ]);
  expect(lines.filter((line) => !parseCommand('plancast', line, { me: 'U1' }).ok)).toEqual([]);
});

test('help on subscribe names each option once, each with a sentence of its own', () => {
  const [entry] = helpEntries('subscribe');
  const lines = entry?.options.flatMap((group) => group.lines) ?? [];
  expect(lines).toHaveLength(13);
  expect(new Set(lines.map(({ usage }) => usage)).size).toBe(lines.length);
  expect(new Set(lines.map(({ description }) => description)).size).toBe(lines.length);
});

test('help can be limited to one verb', () => {
  expect(helpEntries('mute')).toEqual([
    {
      topic: 'mute',
      title: '/plancast mute',
      description: expect.any(String),
      forms: [{ usage: '/plancast mute 2h', description: expect.any(String) }],
      options: [],
      defaults: [],
      examples: ['/plancast mute 2h', '/plancast mute 1d'],
    },
  ]);
});

test('help shows commands as they are typed in this workspace', () => {
  const studio = readCommandName('/studio-unsubscribe');
  expect(helpEntries('subscribe', studio?.names)[0]?.examples[0]).toBe(
    '/studio-subscribe project 123-456-789',
  );
  expect(helpEntries('subscribe', brandedNames('/plancast'))[0]?.title).toBe('/plancast subscribe');
  expect(helpEntries('subscriptions')[0]?.title).toBe('/subscriptions');
});

test.each([
  ['/subscribe', 'subscribe', defaultNames],
  ['/unsubscribe', 'unsubscribe', defaultNames],
  ['/subscriptions', 'subscriptions', defaultNames],
  ['/plancast', 'plancast', brandedNames('/plancast')],
])('%s is the command %s', (typed, command, names) => {
  expect(readCommandName(typed)).toEqual({ command, names });
});

test('a renamed command shows the names of its neighbors', () => {
  expect(readCommandName('/studio-unsubscribe')).toEqual({
    command: 'unsubscribe',
    names: {
      subscribe: '/studio-subscribe',
      unsubscribe: '/studio-unsubscribe',
      subscriptions: '/studio-subscriptions',
      plancast: '/plancast',
    },
  });
});

test.each([
  ['/subscribe', defaultNames],
  ['/studio-subscribe', readCommandName('/studio-subscribe')?.names],
  ['/plancast subscribe', brandedNames('/plancast')],
  ['/studio-unsubscribe', null],
  ['/studio-', null],
  ['studio-subscribe', null],
  ['/plancast', null],
])('given that the subscribe command is typed %s, the others are known', (subscribe, names) => {
  expect(namesBeside(subscribe)).toEqual(names);
});

test("another app's command is not one of ours", () => {
  expect(
    ['/remind', 'subscribe', 'x/subscribe', '/subscribe now', '/plancasts', ''].map(readCommandName),
  ).toEqual(Array(6).fill(null));
});
