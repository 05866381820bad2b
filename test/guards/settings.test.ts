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

/** Returns `.env.example` with the rows of the README: a paragraph each, with the variables that have a default commented out. */
function exampleFile(): string {
  const paragraphs = readmeRows().map(({ variables, default: standard, meaning }) => [
    `# ${meaning}`,
    ...(standard === null ? [] : [`# default: ${standard}`]),
    ...variables.map((name) => `${standard === null ? '' : '#'}${name}=`),
  ]);
  const head = ['# Copy to .env and fill in what has no default. An empty value counts as missing.'];
  return `${[head, ...paragraphs].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function plain(cell: string): string {
  return cell.replaceAll('`', '').trim();
}

test('the README lists the variables that the bot reads, in the same order', () => {
  expect(readmeRows().flatMap((row) => row.variables)).toEqual(variableNames);
});

test('.env.example is the table of the README; this test with -u writes it', async () => {
  await expect(exampleFile()).toMatchFileSnapshot('../../.env.example');
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
