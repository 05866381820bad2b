import { trimSlashes } from '../../lib/text.ts';
import { composed, maxGlobsLength, maxListLength } from './typed-text.ts';

/** The most wildcards a new glob can have; each `*`, `?`, `**` and `{…}` counts as one. */
export const maxWildcards = 10;

/** A parsed glob: the literal characters and wildcards of each way to read it. `{a,b}` becomes `open`, a, `or`, b, `close`. */
type Glob = readonly (readonly Token[])[];

type Token = PlainToken | { readonly kind: Brace };

type PlainToken =
  | { readonly kind: 'character'; readonly folded: string }
  | { readonly kind: 'one' | 'some' | 'folders' | 'slash' };

type Brace = 'open' | 'or' | 'close';

/** A path, prepared to be matched against many globs. Its positions run from 0 to after an added slash. */
type GlobPath = {
  /** The positions before each character. */
  readonly before: (folded: string) => Bits;
  /** The positions before any character of a name, and before a slash. */
  readonly beforeName: Bits;
  readonly beforeSlash: Bits;
  /** The positions where a name begins, and the end. */
  readonly nameStarts: Bits;
  /** Where the path begins: at its start, and after its first folder, the root. */
  readonly starts: Bits;
};

/** A set of positions, one bit each. */
type Bits = bigint;

/** Compiles the globs of a filter. A glob after `!` excludes, and wins over every other; if all of them exclude, everything else passes. */
export function compileGlobs(globs: readonly string[]): (path: GlobPath) => boolean {
  const included = globs.filter((glob) => !glob.startsWith('!')).map(parseGlob);
  const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => parseGlob(glob.slice(1)));
  return (path) =>
    (included.length === 0 || included.some((glob) => matchesGlob(glob, path))) &&
    !excluded.some((glob) => matchesGlob(glob, path));
}

/**
 * Parses a glob. Letter case is ignored. `**` stands for folders if it is a whole name, and for `*` otherwise. Braces that do not close or
 * contain no comma are literal, like everything that is not a wildcard. `›` and `>` stand for a slash, as messages show places, and for
 * themselves, since names contain them too.
 */
export function parseGlob(text: string): Glob {
  const shown = text.split(/[›>]/);
  const asSlashes = shown.map((name) => name.trim()).join('/');
  return (shown.length === 1 ? [text] : [text, asSlashes]).map(readGlob);
}

function readGlob(text: string): readonly Token[] {
  const glob = composed(text);
  const braces = bracesIn(glob);
  return Array.from(glob.matchAll(/\*+|./gsu), ({ 0: written, index }) => {
    const kind = braces.get(index) ?? kindOf(written);
    return kind === 'character' ? { kind, folded: fold(written) } : { kind };
  });
}

function kindOf(written: string): PlainToken['kind'] {
  switch (written) {
    case '**':
      return 'folders';
    case '?':
      return 'one';
    case '/':
      return 'slash';
    default:
      return written.startsWith('*') ? 'some' : 'character';
  }
}

/** Counts a glob's wildcards for the limit `maxWildcards`. */
export function countWildcards(text: string): number {
  const stars = text.match(/\*\*?/g)?.length ?? 0;
  const others = readGlob(text).filter(({ kind }) => kind === 'one' || kind === 'open').length;
  return stars + others;
}

/** Returns whether the globs of one subscription are within all limits; earlier releases stored more. */
export function isWithinLimits(globs: readonly string[]): boolean {
  return (
    globs.length <= maxListLength &&
    globs.join('').length <= maxGlobsLength &&
    globs.every((glob) => countWildcards(glob) <= maxWildcards)
  );
}

/** Returns which braces and commas form alternatives, by position. A closing brace belongs to the innermost open one. */
function bracesIn(glob: string): ReadonlyMap<number, Brace> {
  const braces = new Map<number, Brace>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  for (const { 0: written, index: at } of glob.matchAll(/[{,}]/g)) {
    if (written === '{') open.push({ at, commas: [] });
    if (written === ',') open.at(-1)?.commas.push(at);
    const closed = written === '}' ? open.pop() : undefined;
    if (!closed || closed.commas.length === 0) continue;
    braces.set(closed.at, 'open').set(at, 'close');
    for (const comma of closed.commas) braces.set(comma, 'or');
  }
  return braces;
}

/** Maps all cases of a letter to one form, both ways: some letters have two lower-case forms (σ and ς) and some two capital ones. */
function fold(character: string): string {
  // Unicode: no character from the CJK radicals to the end of Yi has a case. Long names in these scripts make the shortcut worthwhile.
  if (character >= '\u2e80' && character <= '\ua4cf') return character;
  return character.toLowerCase().toUpperCase();
}

/** Prepares a path for matching. The added slash makes every name end alike. */
export function readGlobPath(path: string): GlobPath {
  const characters = Array.from(`${composed(trimSlashes(path))}/`);
  const places = Map.groupBy(characters.keys(), (at) => fold(characters[at] ?? ''));
  const masks = new Map<string, Bits>();
  const before = (folded: string): Bits => {
    const mask = masks.get(folded) ?? bitsAt(places.get(folded) ?? []);
    masks.set(folded, mask);
    return mask;
  };
  const beforeSlash = before('/');
  const end = bitsAt([characters.length]);
  const root = characters.indexOf('/') + 1;
  return {
    before,
    beforeName: (end - 1n) ^ beforeSlash,
    beforeSlash,
    nameStarts: 1n | (beforeSlash << 1n),
    starts: bitsAt(root === characters.length ? [0] : [0, root]),
  };
}

const bitsAt = (places: readonly number[]): Bits =>
  places.reduce((bits, at) => bits | (1n << BigInt(at)), 0n);

/** The positions in the path that the glob read so far can reach. */
type NameReach = {
  /** The glob is at the beginning of a name. */
  readonly start: Bits;
  /** The glob is inside a name. */
  readonly inside: Bits;
  /** The glob has just read whole folders, by a slash or a `**` that began a name; another slash or its end may follow. */
  readonly folders: Bits;
  /** At most slashes of the glob are read yet, and another one may follow. */
  readonly top: Bits;
};

const nowhere: NameReach = { start: 0n, inside: 0n, folders: 0n, top: 0n };

/**
 * Returns whether a glob matches a path as in .gitignore: a folder that it matches covers all that is in it. A glob without a slash
 * matches a name at any depth, one with a slash from the top, with or without the path's first folder. A slash at the end does not count.
 * The glob is read once from any name and, with a slash, once from the top. All positions in the path that it can have reached are tracked
 * at once, without backtracking, so the time is proportional to the glob's length times the path's.
 */
export function matchesGlob(glob: Glob, path: GlobPath): boolean {
  const { starts, nameStarts } = path;
  return glob.some(
    (reading) =>
      (reading.some(({ kind }) => kind === 'slash') &&
        covers(reading, path, { ...nowhere, start: starts, top: starts })) ||
      covers(reading, path, { ...nowhere, start: nameStarts }),
  );
}

/** Reads a glob. One that did not begin at the top ends with its first slash. */
function covers(reading: readonly Token[], path: GlobPath, from: NameReach): boolean {
  const open: Alternatives[] = [];
  let reach = from;
  for (const token of reading) {
    reach = isBrace(token) ? branch(token, reach, open) : step(token, reach, path);
    if (token.kind === 'slash' && from.top === 0n) reach = { ...reach, start: 0n };
    const { start, inside, folders, top } = reach;
    if ((start | inside | folders | top) === 0n && open.length === 0) return false;
  }
  return step({ kind: 'slash' }, reach, path).folders !== 0n;
}

/** Where the alternatives of a brace begin, and the positions reached by those read so far. */
type Alternatives = { readonly from: NameReach; to: NameReach };

function isBrace(token: Token): token is { readonly kind: Brace } {
  return token.kind === 'open' || token.kind === 'or' || token.kind === 'close';
}

function branch({ kind }: { readonly kind: Brace }, reach: NameReach, open: Alternatives[]): NameReach {
  if (kind === 'open') {
    open.push({ from: reach, to: nowhere });
    return reach;
  }
  const innermost = kind === 'close' ? open.pop() : open.at(-1);
  if (!innermost) return reach;
  innermost.to = union(innermost.to, reach);
  return kind === 'close' ? innermost.to : innermost.from;
}

function step(token: PlainToken, { start, inside, folders, top }: NameReach, path: GlobPath): NameReach {
  const here = start | inside;
  switch (token.kind) {
    case 'character':
      return { ...nowhere, inside: after(here, path.before(token.folded)) };
    case 'one':
      return { ...nowhere, inside: after(here, path.beforeName) };
    case 'some':
      return { ...nowhere, inside: throughName(here, path) };
    case 'folders':
      return { ...nowhere, inside: throughName(here, path), folders: namesFrom(start, path) };
    case 'slash': {
      const next = after(here, path.beforeSlash) | folders;
      return { ...nowhere, start: next | top, folders: next, top };
    }
  }
}

/** Returns the positions after those that are in both. */
const after = (places: Bits, before: Bits): Bits => (places & before) << 1n;

/** Returns these positions and those up to the end of their name: adding a position to the bits of its name carries up to there. */
function throughName(places: Bits, { beforeName }: GlobPath): Bits {
  return places | ((beforeName + (places & beforeName)) ^ beforeName);
}

/** Returns the beginnings of names from the first of these positions on. */
function namesFrom(places: Bits, { nameStarts }: GlobPath): Bits {
  const first = places & -places;
  return nameStarts & -first;
}

function union(one: NameReach, other: NameReach): NameReach {
  return {
    start: one.start | other.start,
    inside: one.inside | other.inside,
    folders: one.folders | other.folders,
    top: one.top | other.top,
  };
}
