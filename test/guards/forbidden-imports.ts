import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** What a room may import from our code in addition to its own files: values and types, or only types. */
type Rule = { readonly values: readonly string[]; readonly types?: readonly string[] };

/** Which rooms of the core each room may import, in addition to the model. Arrows run one way, so a room comes after those it names. */
const coreRooms: Readonly<Record<string, readonly string[]>> = {
  access: [],
  installing: [],
  receiving: [],
  settling: ['access'],
  linking: ['access', 'settling'],
  upstream: ['access', 'linking', 'receiving', 'settling'],
  home: ['access'],
  channels: ['access', 'home', 'settling', 'upstream'],
  delivering: ['access', 'channels', 'settling', 'upstream'],
  subscribing: ['access', 'channels', 'delivering', 'home', 'linking', 'settling', 'upstream'],
  explaining: ['access', 'channels', 'delivering', 'home', 'linking', 'subscribing', 'upstream'],
  administering: ['access', 'channels', 'delivering', 'home', 'linking', 'subscribing', 'upstream'],
  acts: [
    'access',
    'administering',
    'channels',
    'delivering',
    'explaining',
    'home',
    'linking',
    'subscribing',
    'upstream',
  ],
};

/** Which rooms of the messages each room may import, in addition to `text`. */
const messageRooms: Readonly<Record<string, readonly string[]>> = {
  activity: [],
  admin: ['subscribing'],
  linking: [],
  subscribing: [],
  home: ['linking', 'subscribing'],
  explaining: ['activity', 'subscribing'],
};

/** What every use case is handed, and how it changes something. */
const core = ['core/bot.ts', 'core/slack.ts', 'core/announce.ts'];

const adapter: Rule = { values: ['core', 'messages', 'lib'] };

/**
 * Who may import whom: `main, commands -> compose -> {slack, http, jobs} -> core/* -> {messages, store} -> core/model`. Adapters know neither
 * each other nor the store nor the service; the core knows Slack and the service only by type. A name with a dot is a file of `src/`.
 */
const rules: Readonly<Record<string, Rule | 'everything'>> = {
  'main.ts': 'everything',
  'serve.ts': 'everything',
  'foundation.ts': 'everything',
  'env-file.js': { values: ['incomplete.js'] },
  commands: 'everything',
  compose: 'everything',
  lib: { values: [] },
  'log.ts': { values: ['lib'] },
  'address.ts': { values: [] },
  // env.ts borrows the pure parsers of three settings from the rooms that use the results.
  'env.ts': {
    values: [
      'address.ts',
      'core/receiving/key-signatures.ts',
      'slack/grammar/command-names.ts',
      'store/sealing/token-keys.ts',
    ],
  },
  slack: adapter,
  http: adapter,
  jobs: adapter,
  'core/model': { values: ['lib'] },
  ...Object.fromEntries(
    Object.entries(coreRooms).map(([room, others]) => [
      `core/${room}`,
      {
        values: [
          'core/model',
          'lib',
          'messages',
          'store',
          ...core,
          ...others.map((other) => `core/${other}`),
        ],
        types: ['service'],
      },
    ]),
  ),
  // Names the rooms that are still handed to others as a whole.
  'core/bot.ts': {
    values: [],
    types: ['core', 'lib', 'messages', 'service', 'slack/slack-port.ts', 'store'],
  },
  'core/slack.ts': { values: ['core/model', 'messages'] },
  'core/announce.ts': { values: ['core/bot.ts', 'core/model', 'messages', 'store'] },
  'messages/text': { values: ['core/model', 'lib/durations.ts'] },
  ...Object.fromEntries(
    Object.entries(messageRooms).map(([room, others]) => [
      `messages/${room}`,
      {
        values: [
          'core/model',
          'lib/durations.ts',
          'messages/text',
          ...others.map((other) => `messages/${other}`),
        ],
      },
    ]),
  ),
  service: { values: ['core/model', 'lib'] },
  store: { values: ['core/model', 'lib'] },
  'embedded-postgres': { values: ['lib'] },
};

/** Rooms that reach the outside only through their dependencies. */
const innerRooms = ['core', 'messages'];
const outsidePackages =
  /^(@slack\/(bolt|oauth|web-api)|@keyv\/.*|keyv|pg|pg-boss|kysely|express|ky|undici|oauth4webapi|jose|embedded-postgres|node:(fs|fs\/promises|http|https|net|tls|child_process))$/;

/** Only these files read the environment and pass it to `env.ts`, or add to it. */
const entries = /^src\/(main\.ts|env-file\.js|commands\/doctor\.ts|commands\/lib\/run-command\.ts)$/;

/**
 * Returns the room of a file in `src/`: its first folder or file name, or one level deeper in `core` and `messages`. A file outside all
 * rooms gets a name without a rule.
 */
export function roomOf(path: string): string {
  const [top = '', ...below] = path.split('/').slice(1);
  return (innerRooms.includes(top) && below.length > 1) || rules[top] === undefined
    ? `${top}/${below[0] ?? ''}`
    : top;
}

/** Returns every arrow from one room of `src/` to another, as `from -> to`, each once. */
export function arrowsIn(files: readonly SourceFile[]): string[] {
  const arrows = files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => `${roomOf(path)} -> ${roomOf(posix.join(posix.dirname(path), specifier))}`)
      // Every room is handed the bot, which names every port.
      .filter((arrow) => new Set(arrow.split(' -> ')).size === 2 && !arrow.includes('core/bot.ts')),
  );
  return [...new Set(arrows)].sort((one, other) => one.localeCompare(other));
}

/** Returns rooms that can reach themselves along arrows, by any route. Empty if all arrows run one way. */
export function roomsInCircles(arrows: readonly string[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const arrow of arrows) {
    const [from = '', to = ''] = arrow.split(' -> ');
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const reaches = (from: string, seen: Set<string>): Set<string> => {
    for (const to of next.get(from) ?? []) if (!seen.has(to)) reaches(to, seen.add(to));
    return seen;
  };
  return [...next.keys()].filter((room) => reaches(room, new Set()).has(room));
}

type Import = { readonly specifier: string; readonly typeOnly: boolean };

/** Returns one line for each import that crosses a boundary between rooms. Empty if there are none. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...importsOf(file.text)
      .filter((found) => !isAllowed(file.path, found))
      .map((found) => `${file.path} imports ${found.typeOnly ? 'a type of ' : ''}${found.specifier}`),
    ...(readsEnvironment(file) ? [`${file.path} reads the environment`] : []),
  ]);
}

function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const statements = [
    ...code.matchAll(/^\s*(import|export)\s+(type\s+)?([^;'"]*?)\s*from\s*['"]([^'"]+)['"]/gm),
  ];
  const others = [...code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]/gm)];
  return [
    ...statements.map(([, , typeKeyword, names = '', specifier = '']) => ({
      specifier,
      typeOnly: typeKeyword !== undefined || namesOnlyTypes(names),
    })),
    ...others.map(([, called, bare]) => ({ specifier: called ?? bare ?? '', typeOnly: false })),
  ];
}

function namesOnlyTypes(names: string): boolean {
  const list = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const each =
    list
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '') ?? [];
  return each.length > 0 && each.every((name) => name.startsWith('type '));
}

/**
 * Removes comments, so that an import mentioned in one does not count. Removes `//` only at the start of a line, so URLs in quotes stay
 * whole.
 */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function isAllowed(from: string, { specifier, typeOnly }: Import): boolean {
  const [top = '', ...below] = from.split('/');
  if (!specifier.startsWith('.')) {
    return (
      typeOnly || !(top === 'src' && innerRooms.includes(below[0] ?? '') && outsidePackages.test(specifier))
    );
  }
  const target = posix.join(posix.dirname(from), specifier);
  if (top !== 'src') {
    return target.startsWith(`${top}/`) || (top === 'manifest' && target === 'src/address.ts');
  }
  return target.startsWith('src/') && isAllowedWithin(roomOf(from), target.slice('src/'.length), typeOnly);
}

function isAllowedWithin(room: string, target: string, typeOnly: boolean): boolean {
  const rule = rules[room];
  if (rule === undefined) return false;
  if (rule === 'everything' || target.startsWith(`${room}/`)) return true;
  const allowed = [...rule.values, ...(typeOnly ? (rule.types ?? []) : [])];
  return allowed.some((name) => target === name || (!/\.[jt]s$/.test(name) && target.startsWith(`${name}/`)));
}

function readsEnvironment({ path, text }: SourceFile): boolean {
  const reads =
    /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\{[^}]*\benv\b[^}]*\}\s*(=\s*process\b|from\s*['"](node:)?process['"])/;
  return path.startsWith('src/') && !entries.test(path) && reads.test(withoutComments(text));
}
