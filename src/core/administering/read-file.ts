import { parseJson } from '../../lib/parse-json.ts';
import type { Parsed } from '../model/mistake.ts';
import { type FaultOf, type FileFault, type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import { knownZone } from '../model/time-zone.ts';
import { isChannelId, isUserId } from '../model/typed-text.ts';

/** Parses what follows `/subscribe`, as text that Slack has not escaped. */
export type ReadWords = (words: string) => Parsed;

/** The rows that could be read, and the faults of the lines that could not: one bad line never costs another. */
export type ReadFile = { readonly rows: readonly FileRow[]; readonly faults: readonly FileFault[] };

const entryKeys = ['subscribe', 'owner', 'zone'] as const;
const knownKeys = ['team', 'enterprise', 'channels', ...entryKeys];
/** In characters: the paths of a subscription can have 4,000, and other words come in addition. */
const longestLine = 5_000;

/** Where entries go. `channelId` is null above the first channel, and empty below what should be one and is not. */
type FilePlace = Pick<FileRow, 'teamId' | 'enterpriseId'> & { readonly channelId: string | null };
type FileFields = Partial<Record<(typeof entryKeys)[number], string>>;
/** The lines of a subscription. */
type FileEntry = FilePlace & Pick<FileRow, 'line'> & { readonly fields: FileFields };

const noDash = { kind: 'shape', expected: 'a dash before each subscription' } as const;
const nowhere: FilePlace = { teamId: null, enterpriseId: null, channelId: null };

/**
 * Reads what `writeFile` writes and people edit: YAML, of which each line is read by itself. `team:` applies to what is below it in its
 * document, a channel to the entries below it, and an entry to the fields below it; how far lines are indented does not matter.
 * @param hasTime whether there is time for the entry that begins in this line; from the first one without on, entries are not read
 */
export function readFile(text: string, readWords: ReadWords, hasTime = (_line: number) => true): ReadFile {
  const { entries, faults } = entriesIn(text);
  const rows: FileRow[] = [];
  for (const entry of entries) {
    const { line } = entry;
    if (!hasTime(line)) {
      faults.push({ line, kind: 'too much' });
      break;
    }
    const read = rowOf(entry, readWords);
    if ('request' in read) rows.push(read);
    else faults.push({ line, ...read });
  }
  return { rows, faults: faults.toSorted((one, other) => one.line - other.line) };
}

function entriesIn(text: string): { readonly entries: readonly FileEntry[]; readonly faults: FileFault[] } {
  const entries = new Set<FileEntry>();
  const faults: FileFault[] = [];
  let place = nowhere;
  let open: FileEntry = { ...nowhere, line: 0, fields: {} };
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1;
    const { begins, fields, where, fault } = readLine(raw.trim());
    place = { ...place, ...where };
    if (begins || where !== undefined) open = { ...place, line: begins ? line : 0, fields: {} };
    if (begins) entries.add(open);
    Object.assign(open.fields, fields);
    const wrong = fields !== undefined && open.line === 0 ? noDash : fault;
    if (wrong === undefined) continue;
    faults.push({ line, ...wrong });
    // Without one of its lines, an entry would not be what was meant.
    entries.delete(open);
  }
  return { entries: [...entries].filter(({ channelId }) => channelId !== ''), faults };
}

/** A line: fields of the entry that it `begins` or is in, or where the entries below it go. */
type FileLine = {
  readonly begins?: boolean;
  readonly fields?: FileFields;
  readonly where?: Partial<FilePlace>;
  readonly fault?: FaultOf;
};

function readLine(source: string): FileLine {
  if (source === '' || source.startsWith('#')) return {};
  if (/^(?:---|\.\.\.)(?:\s|$)/.test(source)) return { where: nowhere };
  const [, dash, content = ''] = /^(-(?:\s+|$))?(.*)$/s.exec(source) ?? [];
  const begins = dash !== undefined;
  if (source.length > longestLine)
    return { begins, fault: { kind: 'shape', expected: 'at most 5,000 characters' } };
  const keyed = /^("[^"]*"|'[^']*'|<[^<>]*>|[^\s:"']+):(?:\s+(.*))?$/s.exec(content);
  const [, key = '', rest = ''] = keyed ?? [];
  const named = entryKeys.find((one) => one === key);
  const value = valueIn(begins && named === undefined ? content : rest);
  if (value === null) return { begins, fault: { kind: 'quote' } };
  if (begins || named !== undefined) return { begins, fields: { [named ?? 'subscribe']: value } };
  return readPlace(key, value);
}

/** Reads a line that is not of an entry. `key` is empty if it has none. */
function readPlace(key: string, value: string): FileLine {
  switch (key) {
    case '':
      return { fault: noDash };
    case 'channels':
      return {};
    case 'enterprise':
      return { where: { enterpriseId: value || null } };
    case 'team':
      return {
        where: { teamId: value || null },
        ...(!/^(?:T[A-Z0-9]{1,30})?$/.test(value) && { fault: { kind: 'team', value } }),
      };
  }
  const id = idIn(valueIn(key) ?? key, '#');
  const isChannel = id === ownDirectMessage || isChannelId(id);
  if (isChannel && value === '') return { where: { channelId: id } };
  if (value !== '' && !isChannel) return { fault: { kind: 'key', key, known: knownKeys } };
  const fault: FaultOf = isChannel
    ? { kind: 'shape', expected: 'nothing after the channel' }
    : { kind: 'channel', value: id };
  return { where: { channelId: '' }, fault };
}

/** Returns a value without its quotes and the comment after it; null if a quotation mark is not closed. */
function valueIn(text: string): string | null {
  const [sign] = text;
  if (sign !== '"' && sign !== "'") return text.replace(/(?:^|\s)#.*$/s, '').trim();
  const quoted = sign === '"' ? /^("(?:[^"\\]|\\.)*")(?:\s+#.*)?$/s : /^'((?:[^']|'')*)'(?:\s+#.*)?$/s;
  const [, inside] = quoted.exec(text) ?? [];
  if (inside === undefined) return null;
  const value = sign === '"' ? parseJson(inside) : inside.replaceAll("''", "'");
  return typeof value === 'string' ? value.trim() : null;
}

/** Returns an id, also if it was copied as Slack's markup of a mention. */
function idIn(text: string, sign: '@' | '#'): string {
  const [, found, id] = /^<([@#])([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(text) ?? [];
  return found === sign && id !== undefined ? id : text;
}

/** Returns the row of an entry, or what is wrong with it. */
function rowOf({ fields, ...entry }: FileEntry, readWords: ReadWords): FileRow | FaultOf {
  const { line, teamId, enterpriseId, channelId } = entry;
  if (channelId === null) return { kind: 'shape', expected: 'a line with a channel above it' };
  const { subscribe: words, owner, zone } = fields;
  if (!words) return { kind: 'shape', expected: '`subscribe:` and what to subscribe to' };
  const ownerUserId = owner ? idIn(owner, '@') : null;
  if (ownerUserId !== null && !isUserId(ownerUserId)) return { kind: 'owner', value: ownerUserId };
  if (zone && knownZone(zone) !== zone) return { kind: 'zone', value: zone };
  const request = requestIn(words, readWords);
  if ('kind' in request) return request;
  return {
    ...{ line, teamId, enterpriseId, ownerUserId, zone: zone || null, request },
    channelId: request.personal ? ownDirectMessage : channelId,
  };
}

function requestIn(words: string, readWords: ReadWords): FileRow['request'] | FaultOf {
  const read = readWords(words.replace(/^\/?subscribe\s+/i, ''));
  if (!read.ok) return { kind: 'words', mistake: read.mistake };
  const { request } = read;
  if (request.act !== 'subscribe') return { kind: 'shape', expected: 'what to subscribe to' };
  const { target } = request;
  return target.kind === 'unknown' ? { kind: 'kind unknown', id: target.id } : { ...request, target };
}
