import { trimSlashes } from '../../lib/text.ts';
import { maxGlobsLength, maxListLength } from './typed-text.ts';

/** The most wildcards a new glob can have; each `*`, `?`, `**` and `{…}` counts as one. */
export const maxWildcards = 10;

/** A parsed glob: the literal characters and wildcards of each way to read it. `{a,b}` becomes `open`, a, `or`, b, `close`. */
type Glob = readonly (readonly Token[])[];

type Token = PlainToken | { readonly kind: Brace };

type PlainToken =
  | { readonly kind: 'character'; readonly folded: string }
  | { readonly kind: 'one' | 'some' | 'folders' | 'slash' };

type Brace = 'open' | 'or' | 'close';

/** A path, prepared to be matched against many globs. Its positions run from 0 to after an added slash, one bit each. */
type GlobPath = {
  /** The positions before each character. */
  readonly before: (folded: string) => Bits | undefined;
  /** The positions before any character of a name, and before a slash. */
  readonly beforeName: Bits;
  readonly beforeSlash: Bits;
  /** The positions where a name begins, and the end. */
  readonly nameStarts: Bits;
  /** Where the path begins: at its start, and after its first folder, the root. */
  readonly starts: Bits;
};

type Bits = Uint32Array;

/**
 * Compiles the globs of a filter, to be matched against many paths. A glob after `!` excludes, and wins over every other; if all of them
 * exclude, everything else passes.
 */
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

/**
 * Maps all cases of a letter to one form. It converts both ways, because some letters have two lower-case forms (σ and ς) and some two
 * capital ones.
 */
function fold(character: string): string {
  // Unicode: no character from the CJK radicals to the end of Yi has a case. Long names in these scripts make the shortcut worthwhile.
  if (character >= '\u2e80' && character <= '\ua4cf') return character;
  return character.toLowerCase().toUpperCase();
}

/**
 * Writes each letter with its accents as one character. A Mac writes names of files apart, and what is typed as one. More accents than any
 * letter has (Unicode: 30, in its Stream-Safe Text Format) are cut, because normalizing them takes quadratic time.
 */
function composed(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, '$1').normalize('NFC');
}

/** Prepares a path for matching. The added slash makes every name end alike. */
export function readGlobPath(path: string): GlobPath {
  const characters = Array.from(`${composed(trimSlashes(path))}/`);
  const places = Map.groupBy(characters.keys(), (at) => fold(characters[at] ?? ''));
  const slashes = places.get('/') ?? [];
  const names = [0, ...slashes.map((at) => at + 1)];
  const masks = new Map<string, Bits>();
  return {
    before: (folded) => {
      const all = places.get(folded);
      if (all && !masks.has(folded)) masks.set(folded, bitsAt(all));
      return masks.get(folded);
    },
    beforeName: bitsAt([...characters.keys()].filter((at) => characters[at] !== '/')),
    beforeSlash: bitsAt(slashes),
    nameStarts: bitsAt(names),
    // The last is the end.
    starts: bitsAt(names.slice(0, -1).slice(0, 2)),
  };

  function bitsAt(all: readonly number[]): Bits {
    const bits = new Uint32Array((characters.length >>> 5) + 1);
    for (const at of all) bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
    return bits;
  }
}

/** The positions in the path that the glob read so far can reach; null for none. */
type NameReach = {
  /** The glob is at the beginning of a name. */
  readonly start: Bits | null;
  /** The glob is inside a name. */
  readonly inside: Bits | null;
  /** The glob has just read whole folders, by a slash or a `**` that began a name; another slash or its end may follow. */
  readonly folders: Bits | null;
  /** At most slashes of the glob are read yet, and another one may follow. */
  readonly top: Bits | null;
};

const nowhere: NameReach = { start: null, inside: null, folders: null, top: null };

/**
 * Returns whether a glob matches a path as in .gitignore: a folder that it matches covers all that is in it. A glob without a slash
 * matches a name at any depth, one with a slash from the top, with or without the path's first folder. A slash at the end does not count.
 *
 * The glob is read once from any name and, with a slash, once from the top. All positions in the path that it can have reached are tracked
 * at once, without backtracking, so the time is proportional to the glob's length times the path's. Positions are bits, of which 32 are
 * handled in one step.
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
    if (reach.start && token.kind === 'slash' && !from.top) reach = { ...reach, start: null };
    if (reach === nowhere && open.length === 0) return false;
  }
  return step({ kind: 'slash' }, reach, path).folders !== null;
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
  const here = either(start, inside);
  switch (token.kind) {
    case 'character':
      return within(behind(here, path.before(token.folded)));
    case 'one':
      return within(behind(here, path.beforeName));
    case 'some':
      return within(here && throughName(here, path));
    case 'folders':
      return { ...within(here && throughName(here, path)), folders: start && namesFrom(start, path) };
    case 'slash': {
      const next = either(behind(here, path.beforeSlash), folders);
      return next || top ? { ...nowhere, start: either(next, top), folders: next, top } : nowhere;
    }
  }
}

function within(inside: Bits | null): NameReach {
  return inside ? { ...nowhere, inside } : nowhere;
}

/** Returns the positions after those that are in both. */
function behind(places: Bits | null, before: Bits | undefined): Bits | null {
  if (!places || !before) return null;
  const next = new Uint32Array(places.length);
  let carry = 0;
  let any = 0;
  for (let at = 0; at < next.length; at += 1) {
    const both = (places[at] ?? 0) & (before[at] ?? 0);
    next[at] = (both << 1) | carry;
    carry = both >>> 31;
    any |= both;
  }
  return any === 0 ? null : next;
}

/**
 * Returns these positions and the ones after them up to the end of their name, 32 positions at a time. Where a position is added to the bits
 * of its name, the carry runs to the end of the name, and into the next word.
 */
function throughName(places: Bits, { beforeName }: GlobPath): Bits {
  const reached = new Uint32Array(places.length);
  let carry = 0;
  for (let at = 0; at < reached.length; at += 1) {
    const name = beforeName[at] ?? 0;
    const here = ((places[at] ?? 0) | carry) >>> 0;
    const sum = name + ((here & name) >>> 0);
    reached[at] = here | (sum ^ name);
    carry = sum > 0xffff_ffff ? 1 : 0;
  }
  return reached;
}

/** Returns the beginnings of names from the first of these positions on. */
function namesFrom(places: Bits, { nameStarts }: GlobPath): Bits {
  const first = places.findIndex((word) => word !== 0);
  const reached = Uint32Array.from(nameStarts).fill(0, 0, first);
  const word = places[first] ?? 0;
  // All bits below its lowest set bit.
  const below = (word & -word) - 1;
  reached[first] = (reached[first] ?? 0) & ~below;
  return reached;
}

function union(one: NameReach, other: NameReach): NameReach {
  return {
    start: either(one.start, other.start),
    inside: either(one.inside, other.inside),
    folders: either(one.folders, other.folders),
    top: either(one.top, other.top),
  };
}

function either(one: Bits | null, other: Bits | null): Bits | null {
  if (!one || !other) return one ?? other;
  const both = new Uint32Array(one.length);
  for (let at = 0; at < both.length; at += 1) both[at] = (one[at] ?? 0) | (other[at] ?? 0);
  return both;
}
