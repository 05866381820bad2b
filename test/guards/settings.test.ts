import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { readEnv, variableNames } from '../../src/env.ts';
import { readText } from './source-files.ts';

type Row = {
  readonly variables: readonly string[];
  readonly default: string | null;
  readonly meaning: string;
};

/** Returns the rows of the README's table of settings. */
function readmeRows(): Row[] {
  const table = /\n\| variable \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(readText('README.md'))?.[1] ?? '';
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [names = '', standard = '', ...meaning] = line.replace(/^\||\|$/g, '').split('|');
      return {
        variables: [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
        default: standard.trim() === '–' ? null : plain(standard),
        meaning: plain(meaning.join('|')),
      };
    });
}

/** Returns the paragraphs of `.env.example` that contain variables. */
function exampleRows(): Row[] {
  return readText('.env.example')
    .split('\n\n')
    .map((paragraph) => paragraph.trim().split('\n'))
    .map((lines) => ({
      variables: lines.flatMap((line) => /^#?([A-Z_]+)=$/.exec(line)?.[1] ?? []),
      default: lines.find((line) => line.startsWith('# default: '))?.slice('# default: '.length) ?? null,
      meaning: lines.find((line) => /^# (?!default: )/.test(line))?.slice('# '.length) ?? '',
    }))
    .filter((row) => row.variables.length > 0);
}

function plain(cell: string): string {
  return cell.replaceAll('`', '').trim();
}

test('the README lists the variables that the bot reads, in the same order', () => {
  expect(readmeRows().flatMap((row) => row.variables)).toEqual(variableNames);
});

test('.env.example has the rows of the README, with the same words', () => {
  expect(exampleRows()).toEqual(readmeRows());
});

test('an unchanged copy of .env.example only lacks the variables without a default', () => {
  const read = readEnv(parseEnv(readText('.env.example')));
  const withoutDefault = readmeRows()
    .filter((row) => row.default === null)
    .flatMap((row) => row.variables)
    // An alternative to two other variables, which are requested.
    .filter((name) => name !== 'SLACK_BOT_TOKEN');

  expect(read.ok ? [] : read.faults.map((fault) => fault.split(' ')[0])).toEqual(withoutDefault);
});
