import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, parseDocument } from 'yaml';
import type { Parsed } from '../model/mistake.ts';
import { type FileFault, type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import { knownZone } from '../model/time-zone.ts';
import { isChannelId, isUserId } from '../model/typed-text.ts';

/** Parses what follows `/subscribe`, as text that Slack has not escaped. */
export type ReadWords = (words: string) => Parsed;

/** The rows that could be read, and the faults of the lines that could not: one bad line never costs another. */
export type ReadFile = { readonly rows: readonly FileRow[]; readonly faults: readonly FileFault[] };

const documentKeys = ['team', 'enterprise', 'channels'];
const entryKeys = ['subscribe', 'owner', 'zone'];

/**
 * How often a file is parsed again with one more line removed, and how many lines may be parsed for that in total, so a long file takes
 * no longer than a short one. Beyond that, a broken line costs the lines after it.
 */
const most = { times: 50, lines: 100_000 };

/**
 * Reads the YAML that `writeFile` writes and people edit: one document per workspace. A line that is not YAML spoils the ones after it,
 * so the file is parsed again without it: first without all lines that are not YAML on their own, then with one more line removed each
 * time, since only the first error that the parser reports can be trusted.
 */
export function readFile(text: string, readWords: ReadWords): ReadFile {
  const source = text.split(/\r\n|\r|\n/).map(withPlainIndent);
  const broken: FileFault[] = [];
  const notYaml = (line: number): FileFault => ({
    line,
    kind: 'not yaml',
    sign: signIn(source[line - 1] ?? ''),
  });
  const takeOut = (line: number): void => {
    const at = lastWithText(source, line);
    if (at === null) return;
    broken.push(notYaml(at));
    source.fill('', at - 1, endOfEntry(source, at));
  };
  const readAgain = () => readDocuments(source.join('\n'), readWords);
  let read = readAgain();
  if (read.errors.length > 0) {
    brokenAlone(source).forEach(takeOut);
    read = readAgain();
  }
  const mostTimes = Math.min(most.times, Math.ceil(most.lines / source.length));
  for (let times = 0; read.errors.length > 0 && times < mostTimes; times += 1) {
    read.errors.slice(0, 1).forEach(takeOut);
    read = readAgain();
  }
  const faults = [...broken, ...read.errors.map(notYaml), ...read.faults].toSorted(
    (one, other) => one.line - other.line,
  );
  return {
    rows: read.rows,
    faults: faults.filter(({ line }, index) => faults[index - 1]?.line !== line),
  };
}

/**
 * Returns the numbers of the lines that are not YAML even on their own. Within the file, an unclosed quote or bracket is only noticed where something later
 * does not fit into it.
 */
function brokenAlone(source: readonly string[]): number[] {
  return source.flatMap((line, index) =>
    parseDocument(line.trim(), readAlone).errors.length > 0 ? [index + 1] : [],
  );
}

/** Returns the character of a line that YAML probably read in another way than meant; null if there is none. */
function signIn(line: string): string | null {
  if (/^ *\t/.test(line)) return '\t';
  const value = line.replace(/^ *(?:- +)?(?:\w+: +)?/, '');
  return /^["'[\]{}@`%&*!|>]/.exec(value)?.[0] ?? (/:(?= )/.exec(value)?.[0] || null);
}

const readAlone = { schema: 'failsafe', prettyErrors: false } as const;

/** Replaces the no-break spaces that some editors indent with. YAML takes them for text. */
function withPlainIndent(line: string): string {
  return line.replace(/^[ \u00a0]*(?:-[ \u00a0]+)?(?:\w+:[ \u00a0]+)?/, (indent) =>
    indent.replaceAll('\u00a0', ' '),
  );
}

/**
 * Returns the number of the last line of the entry whose first line is `line`; any other line is alone. Without its first line, the rest
 * of an entry (such as its `owner:`) would not fit between the other entries.
 */
function endOfEntry(source: readonly string[], line: number): number {
  const indent = /^ *(?=- )/.exec(source[line - 1] ?? '')?.[0].length;
  if (indent === undefined) return line;
  const next = source.findIndex(
    (text, at) => at >= line && text.trim() !== '' && (text.search(/\S/) <= indent || /^ *- /.test(text)),
  );
  return next === -1 ? source.length : next;
}

/** Returns the number of the last non-blank line up to `line`; null if there is none. */
function lastWithText(source: readonly string[], line: number): number | null {
  for (let at = Math.min(line, source.length); at > 0; at -= 1) {
    if (source[at - 1]?.trim() !== '') return at;
  }
  return null;
}

/** Parses the text once. `errors`: the numbers of the lines that are not YAML, in order. */
function readDocuments(text: string, readWords: ReadWords) {
  const lines = new LineCounter();
  const faults: FileFault[] = [];
  const rows: FileRow[] = [];
  // Every scalar is text: an id of nine digits must not become a number.
  const options = { lineCounter: lines, schema: 'failsafe', prettyErrors: false, uniqueKeys: false } as const;
  const found = parseAllDocuments(text, options);
  const errors: number[] = [];
  for (const document of Array.isArray(found) ? found : []) {
    errors.push(...document.errors.map(({ pos }) => lines.linePos(pos[0]).line));
    readDocument(document.contents, { lines, readWords, rows, faults });
  }
  return { rows, faults, errors };
}

type FileReading = {
  readonly lines: LineCounter;
  readonly readWords: ReadWords;
  readonly rows: FileRow[];
  readonly faults: FileFault[];
};

type Of = Pick<FileRow, 'teamId' | 'enterpriseId'>;

function readDocument(node: Node | null, reading: FileReading): void {
  if (node === null) return;
  const { faults } = reading;
  const line = lineOf(node, reading);
  if (!isMap(node)) return void faults.push({ line, kind: 'shape', expected: '`team:` and `channels:`' });
  const fields = fieldsOf(node, documentKeys, reading);
  const teamId = textOf(fields.get('team'));
  if (teamId !== null && !/^T[A-Z0-9]{1,30}$/.test(teamId)) {
    return void faults.push({
      line: lineOf(fields.get('team') ?? node, reading),
      kind: 'team',
      value: teamId,
    });
  }
  const of = { teamId, enterpriseId: textOf(fields.get('enterprise')) };
  const channels = fields.get('channels');
  if (!isMap(channels)) {
    const at = lineOf(channels ?? node, reading);
    return void faults.push({
      line: at,
      kind: 'shape',
      expected: '`channels:` with the id of a channel in each line below',
    });
  }
  for (const { key, value } of channels.items) readChannel(key as Node, value as Node | null, of, reading);
}

function readChannel(key: Node, entries: Node | null, of: Of, reading: FileReading): void {
  const { faults } = reading;
  const line = lineOf(key, reading);
  const named = (isScalar(key) ? String(key.value) : '').trim();
  // The form in which Slack copies a channel mention.
  const channelId = /^<#([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(named)?.[1] ?? named;
  if (channelId !== ownDirectMessage && !isChannelId(channelId)) {
    return void faults.push({ line, kind: 'channel', value: named });
  }
  // A channel without entries is no fault: its only line may be the broken one.
  if (entries === null || (isScalar(entries) && textOf(entries) === null)) return;
  if (!isSeq(entries)) {
    return void faults.push({
      line,
      kind: 'shape',
      expected: 'a list below the channel, each entry with a dash',
    });
  }
  for (const entry of entries.items) readEntry(entry as Node, { ...of, channelId }, reading);
}

function readEntry(entry: Node, of: Of & Pick<FileRow, 'channelId'>, reading: FileReading): void {
  const { faults, rows } = reading;
  const line = lineOf(entry, reading);
  const before = faults.length;
  const fields = isMap(entry) ? fieldsOf(entry, entryKeys, reading) : new Map([['subscribe', entry]]);
  if (faults.length > before) return;
  const words = textOf(fields.get('subscribe'));
  if (words === null)
    return void faults.push({ line, kind: 'shape', expected: '`subscribe:` and what to subscribe to' });
  const owner = textOf(fields.get('owner'));
  const ownerUserId = owner === null ? null : (/^<@([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(owner)?.[1] ?? owner);
  if (ownerUserId !== null && !isUserId(ownerUserId)) {
    return void faults.push({ line, kind: 'owner', value: ownerUserId });
  }
  const zone = textOf(fields.get('zone'));
  if (zone !== null && knownZone(zone) !== zone) return void faults.push({ line, kind: 'zone', value: zone });
  const read = reading.readWords(words.trim().replace(/^\/?subscribe\s+/i, ''));
  if (!read.ok) return void faults.push({ line, kind: 'words', mistake: read.mistake });
  const { request } = read;
  if (request.act !== 'subscribe') {
    return void faults.push({ line, kind: 'shape', expected: 'what to subscribe to' });
  }
  const { target } = request;
  if (target.kind === 'unknown') return void faults.push({ line, kind: 'kind unknown', id: target.id });
  const channelId = request.personal ? ownDirectMessage : of.channelId;
  rows.push({ ...of, channelId, line, ownerUserId, request: { ...request, target }, zone });
}

/** Returns the fields of a map by name. An unknown field is a fault: a typo must not change what is imported. */
function fieldsOf(
  node: { readonly items: readonly { readonly key: unknown; readonly value: unknown }[] },
  known: readonly string[],
  reading: FileReading,
): Map<string, Node> {
  const fields = new Map<string, Node>();
  for (const { key, value } of node.items) {
    const name = textOf(key) ?? '';
    if (!known.includes(name)) {
      reading.faults.push({ line: lineOf(key as Node, reading), kind: 'key', key: name, known });
    } else if (value !== null) fields.set(name, value as Node);
  }
  return fields;
}

function textOf(node: unknown): string | null {
  return isScalar(node) && typeof node.value === 'string' && node.value.trim() !== ''
    ? node.value.trim()
    : null;
}

function lineOf(node: Node, { lines }: FileReading): number {
  return lines.linePos(node.range?.[0] ?? 0).line;
}
