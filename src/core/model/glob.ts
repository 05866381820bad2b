import { trimSlashes } from '../../lib/trim-slashes.ts';

/** Wildcards that a new glob may have; each `*`, `?`, `**` and `{…}` counts as one. */
export const maxWildcards = 10;

/** A glob, taken apart: characters to find, and what stands for others. `{a,b}` is `open`, a, `or`, b, `close`. */
export type Glob = readonly Token[];

type Token = PlainToken | { readonly kind: Brace };

type PlainToken =
  | { readonly kind: 'character'; readonly folded: string }
  | { readonly kind: 'one' | 'some' | 'folders' | 'slash' };

type Brace = 'open' | 'or' | 'close';

/** A path, made ready to be matched with many globs. */
export type GlobPath = {
  /** Places in the path go from 0 (before it) to this one (behind it and a slash that is added), one bit each. */
  readonly end: number;
  /** The places before each character. */
  readonly before: (folded: string) => Bits | null;
  /** The places before any character of a name, and before a slash. */
  readonly beforeName: Bits;
  readonly beforeSlash: Bits;
  /** The places where a name begins, and the end. */
  readonly nameStarts: Bits;
  /** Where a match may begin: at the path's start, and behind its first folder. */
  readonly starts: Bits;
};

type Bits = Uint32Array;

/**
 * Reads a glob. Outer slashes are taken off, letter case is forgotten. `**` stands for folders where it is a whole name, else it is
 * `*`. Braces that do not close, or hold no comma, are themselves, as is everything that is no wildcard.
 */
export function parseGlob(text: string): Glob {
  const glob = trimSlashes(text);
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

/** How many wildcards a glob has, as they are counted against `maxWildcards`. */
export function countWildcards(text: string): number {
  const stars = text.match(/\*\*?/g)?.length ?? 0;
  const others = parseGlob(text).filter(({ kind }) => kind === 'one' || kind === 'open').length;
  return stars + others;
}

/** Which braces and commas make alternatives, by their place. A closing brace belongs to the last one that is open. */
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

/** One form for all cases of a letter; both ways, since some letters have two small forms (σ and ς) and some two capital ones. */
function fold(character: string): string {
  // Unicode: from the CJK radicals to the end of Yi, no character has a case. Long names in these scripts are worth the shortcut.
  if (character >= '\u2e80' && character <= '\ua4cf') return character;
  return character.toLowerCase().toUpperCase();
}

/** Makes a path ready. A slash behind it makes each name end alike. */
export function readGlobPath(path: string): GlobPath {
  const characters = Array.from(`${trimSlashes(path)}/`);
  const end = characters.length;
  const words = (end >>> 5) + 1;
  const [beforeName, beforeSlash, nameStarts, starts] = [none(), none(), none(), none()];
  // Where a character comes for the last time, and for each place where its character comes before that.
  const last = new Map<string, number>();
  const previous = new Int32Array(end);
  set(nameStarts, 0);
  for (const [at, character] of characters.entries()) {
    set(character === '/' ? beforeSlash : beforeName, at);
    if (character === '/') set(nameStarts, at + 1);
    const folded = fold(character);
    previous[at] = last.get(folded) ?? -1;
    last.set(folded, at);
  }
  set(starts, 0);
  const behindRoot = characters.indexOf('/') + 1;
  if (behindRoot < end) set(starts, behindRoot);

  const masks = new Map<string, Bits>();
  return { end, before, beforeName, beforeSlash, nameStarts, starts };

  function none(): Bits {
    return new Uint32Array(words);
  }

  function before(folded: string): Bits | null {
    const known = masks.get(folded);
    if (known) return known;
    const from = last.get(folded);
    if (from === undefined) return null;
    const mask = none();
    for (let at = from; at >= 0; at = previous[at] ?? -1) set(mask, at);
    masks.set(folded, mask);
    return mask;
  }
}

/** The places of the path that the glob read so far can lead to; null for none. */
type NameReach = {
  /** The glob is at the beginning of a name. */
  readonly start: Bits | null;
  /** It is within one. */
  readonly inside: Bits | null;
  /** It has just read a `**` that began a name: only a slash makes it stand for folders. */
  readonly folders: Bits | null;
};

const nowhere: NameReach = { start: null, inside: null, folders: null };

/**
 * Says whether a glob matches a path, with or without the path's first folder.
 *
 * The glob is read once, together with all places of the path that it can have led to by then, so that nothing is ever tried again:
 * the time is that of the glob's length times the path's, whatever the two are. Since places are bits, 32 of them are one step.
 */
export function matchesGlob(glob: Glob, path: GlobPath): boolean {
  const open: Alternatives[] = [];
  let reach: NameReach = { ...nowhere, start: path.starts };
  for (const token of glob) {
    reach = isBrace(token) ? branch(token, reach, open) : step(token, reach, path);
    if (reach === nowhere && open.length === 0) return false;
  }
  const { start } = step({ kind: 'slash' }, reach, path);
  return start !== null && has(start, path.end);
}

/** Where the alternatives of a brace begin, and where those read so far can have led. */
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

function step(token: PlainToken, { start, inside, folders }: NameReach, path: GlobPath): NameReach {
  const here = either(start, inside);
  switch (token.kind) {
    case 'character':
      return within(behind(here, path.before(token.folded)));
    case 'one':
      return within(behind(here, path.beforeName));
    case 'some':
      return within(here && throughName(here, path));
    case 'folders': {
      const next = { inside: here && throughName(here, path), folders: start && namesFrom(start, path) };
      return here ? { start: null, ...next } : nowhere;
    }
    case 'slash': {
      const next = either(behind(here, path.beforeSlash), folders);
      return next ? { ...nowhere, start: next } : nowhere;
    }
  }
}

function within(inside: Bits | null): NameReach {
  return inside ? { ...nowhere, inside } : nowhere;
}

/** The places behind those that are in both. */
function behind(places: Bits | null, before: Bits | null): Bits | null {
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
 * These places, and those behind them up to the end of their name. A word at a time: adding the lowest place of a name to the ones
 * that stand for its characters carries through to its end, and into the next word.
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

/** The beginnings of names from the first of these places on. */
function namesFrom(places: Bits, { nameStarts }: GlobPath): Bits {
  const first = places.findIndex((word) => word !== 0);
  const reached = Uint32Array.from(nameStarts).fill(0, 0, first);
  const word = places[first] ?? 0;
  // What is below its lowest bit.
  const below = (word & -word) - 1;
  reached[first] = (reached[first] ?? 0) & ~below;
  return reached;
}

function union(one: NameReach, other: NameReach): NameReach {
  if (one === nowhere) return other;
  if (other === nowhere) return one;
  return {
    start: either(one.start, other.start),
    inside: either(one.inside, other.inside),
    folders: either(one.folders, other.folders),
  };
}

function either(one: Bits | null, other: Bits | null): Bits | null {
  if (!one || !other) return one ?? other;
  const both = new Uint32Array(one.length);
  for (let at = 0; at < both.length; at += 1) both[at] = (one[at] ?? 0) | (other[at] ?? 0);
  return both;
}

function has(bits: Bits, at: number): boolean {
  return ((bits[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
}

function set(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}
