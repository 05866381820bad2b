import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { linkScopes, optionalScopes, requiredScopes } from '../../manifest/scopes.ts';
import { makeMetrics } from '../../src/http/metrics/metrics.ts';
import { readText, root, sourceFiles } from './source-files.ts';

const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((path) => ({
  path,
  text: readText(path),
}));
const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };

/** Returns all code in a page, from fences and within lines. */
function codeIn(text: string): string[] {
  const fences = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  const inline = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  );
  return [...fences, ...inline];
}

/** Returns the names of the scripts in the commands of a page. */
function scriptsNamedIn(text: string): string[] {
  const commands = codeIn(text)
    .join('\n')
    .matchAll(/\bnpm (?:run (?:--?[\w-]+ )*([\w:-]+)|(start|test))\b/g);
  return [...commands].map(([, run, short]) => run ?? short ?? '');
}

/** Returns the file that a script runs with Node, if any. */
function entryOf(script: string): string | undefined {
  return /\bnode(?: --\S+)* (\S+\.ts)\b/.exec(scripts[script] ?? '')?.[1];
}

// The changelog also names scripts that earlier releases had.
const current = pages.filter(({ path }) => path !== 'CHANGELOG.md');
const namedScripts = [...new Set(current.flatMap(({ text }) => scriptsNamedIn(text)))];

test('every command that a page names is a script of package.json', () => {
  expect(namedScripts).toContain('demo');
  expect(namedScripts.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('every file that a script starts exists', () => {
  const entries = Object.keys(scripts).flatMap((name) => entryOf(name) ?? []);

  expect(entries).toContain('src/main.ts');
  expect(entries.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('a test names the file of every documented command; documented.slow.test.ts runs those for operators', () => {
  const tests = sourceFiles(['test']).map(({ text }) => text);
  const entries = namedScripts
    // It starts the same file as `start`.
    .filter((name) => name !== 'dev')
    .flatMap((name) => entryOf(name) ?? []);

  expect(entries).toContain('src/main.ts');
  expect(entries.filter((path) => !tests.some((text) => text.includes(path)))).toEqual([]);
});

test('every file that a page names exists', () => {
  const named = pages.flatMap(({ text }) =>
    codeIn(text).flatMap(
      (code) => code.match(/(?<![\w./])(?:src|sandbox|manifest|test|docs|bench)\/[\w./-]*\w/g) ?? [],
    ),
  );
  // `x` stands for the name of an added file.
  const real = named.filter((path) => !/\/x(\.test)?\.ts$/.test(path));

  expect(real).toContain('src/messages/activity/deeds.ts');
  expect(real.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every file, function and state that the architecture page names is in the code', () => {
  const code = sourceFiles(['src', 'test'])
    .flatMap(({ path, text }) => [path, text])
    .join('\n');
  const names = codeIn(readText('docs/architecture.md')).flatMap(
    (each) => /^(?:\w+\.)?([\w-]+(?:\.ts)?)$/.exec(each)?.[1] ?? [],
  );

  expect(names).toContain('requireLink');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

test('the architecture fits on two pages', () => {
  const lines = readText('docs/architecture.md').split('\n');

  expect(lines.filter((line) => line !== '').length).toBeLessThanOrEqual(110);
});

test('every picture and page that a page links to exists', () => {
  const targets = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:\]\(|src="|srcset=")(?!https?:|#)([^)#\s"]+)/g)].map(([, target = '']) =>
      join(dirname(path), target),
    ),
  );

  expect(targets).toContain('docs/pictures/light/a-channel.webp');
  expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
});

test('every file that the platform files start exists', () => {
  const started = ['Procfile', 'Dockerfile', 'compose.yaml'].flatMap(
    (path) => readText(path).match(/\bsrc\/[\w/-]+\.ts\b/g) ?? [],
  );

  expect(new Set(started)).toEqual(new Set(['src/main.ts', 'src/commands/release.ts']));
  expect(started.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect([...readText('Procfile').matchAll(/^(\w+):/gm)].map(([, name]) => name)).toEqual([
    'release',
    'web',
    'worker',
  ]);
});

test('the README can be read in one sitting', () => {
  const { length } = readText('README.md').trimEnd().split('\n');

  expect(length).toBeGreaterThanOrEqual(40);
  expect(length).toBeLessThanOrEqual(140);
});

/** Returns the names in code at the start of the first cells of a page's tables. */
function rowsOf(path: string): string[] {
  return [...readText(path).matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w:.]+)[^`]*`/g)].map(([, name = '']) => name),
  );
}

test('a reviewer finds every table and every scope in docs/security.md', () => {
  const rows = rowsOf('docs/security.md');
  const statements = globSync('src/store/migrations/*.sql', { cwd: root }).map(readText).join('\n');
  const created = [...statements.matchAll(/^create table (?:if not exists )?plancast\.(\w+)/gm)];
  const dropped = new Set(
    [...statements.matchAll(/^drop table (.+);$/gm)].flatMap(([, names = '']) => names.split(', ')),
  );
  const tables = created.flatMap(([, name = '']) => (dropped.has(`plancast.${name}`) ? [] : [name]));

  expect(tables).toContain('links');

  expect(new Set(rows)).toEqual(new Set([...tables, ...requiredScopes, ...optionalScopes, ...linkScopes]));
});

test('a reviewer finds a test for each attack in docs/security.md, under the name it has there', () => {
  const attacks = [
    ...readText('docs/security.md').matchAll(/^\| .* \| `(test\/\S+\.test\.ts)`: (.+) \|$/gm),
  ].map(([, path = '', title = '']) => ({ path, title: title.replaceAll('`', '') }));

  expect(attacks.length).toBeGreaterThanOrEqual(10);
  expect(attacks.filter(({ path, title }) => !readText(path).includes(`('${title}`))).toEqual([]);
});

const metricsOfTheBot = () =>
  makeMetrics({
    backlog: async () => ({ waiting: 0, dead: 0, oldest: null, unsettled: 0, uncheckedSince: null }),
    now: () => new Date(),
    monotonic: () => 0,
  });

test('an operator finds every metric of the bot in docs/operating.md', async () => {
  const names = [...(await metricsOfTheBot().text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);

  expect(names).toContain('plancast_dead_letters');
  expect(new Set(rowsOf('docs/operating.md').filter((row) => row.startsWith('plancast_')))).toEqual(
    new Set(names),
  );
});

test('an operator can paste each alert of docs/operating.md: its metrics exist, with those values of their labels', async () => {
  const { text } = metricsOfTheBot();
  const exported = (await text()).split('\n');
  const alerts = [
    ...readText('docs/operating.md').matchAll(/^\| [^|]+ \| `(.*plancast_.*)`[^|]*\| .+ \|$/gm),
  ].map(([, expression = '']) => expression);
  const selectors = alerts.flatMap((expression) => expression.match(/plancast_\w+(?:\{[^}]*\})?/g) ?? []);

  expect(alerts.length).toBeGreaterThanOrEqual(7);
  // A histogram's buckets have another label, and none before the first observation.
  const unknown = selectors.filter(
    (selector) => !exported.some((line) => line.replace(/\{le=.*?\}/, '').startsWith(`${selector} `)),
  );
  expect(unknown).toEqual([]);
});

test('the page of capacity reckons with figures of the page of figures', () => {
  const measured = readText('docs/measured.md');
  const rows = readText('docs/capacity.md').match(/^\| (?:web|worker|process|database|stored).*$/gm) ?? [];
  const figures = rows.flatMap((row) => row.match(/[\d.,]*\d(?: (?:ms|µs|MB|MiB))|\d\d,\d{3}/g) ?? []);

  expect(figures).toContain('46 µs');
  expect(figures.filter((figure) => !measured.includes(figure))).toEqual([]);
});
