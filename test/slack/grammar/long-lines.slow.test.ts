import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/verbs.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

const longTexts = [
  '<',
  '<a',
  '&',
  '`',
  '``a',
  '"',
  '“a',
  "'",
  '{',
  ',',
  'a ',
  'in `a ',
  'in a ',
  '1 ',
  '1-',
  'https://',
];
const prefixes: readonly (readonly [Command, string])[] = [
  ['subscribe', ''],
  ['subscribe', 'project 123-456-789 in '],
  ['subscribe', 'project 123-456-789 by '],
  ['plancast', 'mute '],
  ['plancast', 'link '],
];

test.each(prefixes)('100 kB of any character after /%s %s are read in a moment', (typed, prefix) => {
  for (const sign of longTexts) {
    const parsed = parseCommand(typed, prefix + sign.repeat(100_000 / sign.length));
    expect(parsed.ok || parsed.mistake.choices.length < 10).toBe(true);
  }
});
