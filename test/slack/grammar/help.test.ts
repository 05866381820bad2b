import { expect, test } from 'vitest';
import { commandLine, defaultNames, helpTexts, type Verb, verbs } from '../../../src/core/model/verbs.ts';
import { help } from '../../../src/messages/home/help.ts';
import { brandedNames, namesBeside, readCommandName } from '../../../src/slack/grammar/command-names.ts';
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

function helpOn(topic: Verb | undefined, commands = defaultNames): string {
  return help(topic, { serviceName: 'Planroom', commands }).text;
}

test('every form, option and example that help shows can be typed', () => {
  const lines = verbs.flatMap((verb) => {
    const { forms, options = {}, defaults = [], examples = [] } = helpTexts[verb];
    const words = [...Object.values(options).flatMap((group) => Object.keys(group)), ...defaults];
    return [
      ...Object.keys(forms).map(fillIn),
      ...words.map((each) => `subscribe project 123-456-789 ${fillIn(each)}`),
      ...examples,
    ];
  });
  expect(lines.filter((line) => !parseCommand('plancast', line, { me: 'U1' }).ok)).toEqual([]);
});

test('help on subscribe names each option once, each with a sentence of its own', () => {
  const lines = Object.values(helpTexts.subscribe.options ?? {}).flatMap((group) => Object.entries(group));
  expect(lines).toHaveLength(13);
  for (const index of [0, 1]) expect(new Set(lines.map((line) => line[index])).size).toBe(lines.length);
});

test('help can be limited to one verb', () => {
  expect(helpOn('mute').split('\n')).toEqual([
    expect.stringContaining('`/plancast mute` – '),
    expect.stringContaining('• `/plancast mute 2h` – '),
    'Examples',
    '• `/plancast mute 2h`',
    '• `/plancast mute 1d`',
  ]);
  expect(helpOn('unlink')).toMatch(/Examples\n• `\/plancast unlink`$/);
});

test('help shows commands as they are typed in this workspace', () => {
  const studio = readCommandName('/studio-unsubscribe')?.names;
  expect(helpOn('subscribe', studio)).toContain('• `/studio-subscribe project 123-456-789`');
  expect(helpOn('subscribe', brandedNames('/plancast'))).toMatch(/^`\/plancast subscribe` – /);
  expect(helpOn('subscriptions')).toMatch(/^`\/subscriptions` – /);
  for (const verb of verbs) expect(helpOn(undefined)).toContain(`\`${commandLine(verb, defaultNames)}\` – `);
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
