import { defaultNames } from '../../core/model/commands.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import type { Mistake, Parsed } from '../../core/model/mistake.ts';
import type { Followed, SubscribeRequest, TypedFilters } from '../../core/model/request.ts';
import type { PersonName, TargetKind } from '../../core/model/subscription.ts';
import { escapeEntities } from '../../messages/text/escape.ts';
import { readCommandName } from './command-names.ts';
import { longestLine, parseCommand } from './parse-command.ts';

/** The value read from a form field, or why it could not be read. */
export type ParsedField<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly mistake: Pick<Mistake, 'word' | 'expected' | 'meant'> };

const tooLong = {
  ok: false,
  mistake: { word: null, expected: 'at most 4,000 characters' },
} as const;

/** A placeholder where a line needs a resource. */
const project: Followed = { kind: 'project', projectId: '123-456-789' };

/**
 * Parses the resource field, a link or an id, by the grammar of a typed line. `kind` is null if the link decides it. For a folder, file or
 * document this field names the project or session that contains it; its own id has a field of its own.
 */
export function parseResource(text: string, kind: TargetKind | null): ParsedField<Followed> {
  if (text.length > longestLine) return tooLong;
  const holder = kind === null ? '' : kind === 'session' || kind === 'document' ? 'session' : 'project';
  const parsed = parseCommand('subscribe', `${holder} ${escapeEntities(text)}`);
  const request = parsed.ok ? parsed.request : parsed.mistake.correction;
  const isAlone = request?.act === 'subscribe' && isEmpty(request);
  if (parsed.ok && isAlone) return { ok: true, value: request.target };
  // A correction with options, such as a path, would not be accepted in this field either.
  if (!parsed.ok && (request === null || isAlone)) return parsed;
  const word = text.trim() === '' ? null : text.trim().slice(0, 80).toWellFormed();
  return { ok: false, mistake: { word, expected: 'a link, or a 9-digit id, and nothing else' } };
}

/** Parses the id of a folder, file or document. */
export function parseItemId(text: string, kind: 'folder' | 'file' | 'document'): ParsedField<string> {
  if (text.trim() === '') return { ok: false, mistake: { word: null, expected: `the id of the ${kind}` } };
  const target: Followed =
    kind === 'document'
      ? { kind, sessionId: '123-456-789', documentId: text }
      : { kind, projectId: '123-456-789', itemId: text };
  return parseLine({ target }, ({ target: understood }) => {
    if ('itemId' in understood) return understood.itemId;
    return 'documentId' in understood ? understood.documentId : '';
  });
}

/** Parses globs, one per line, with or without quotes. */
export function parsePaths(text: string): ParsedField<readonly string[]> {
  const paths = text
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.replace(/^(!?)["“”„«»](.*)["“”«»]$/, '$1$2'));
  return parseLine({ filters: { paths } }, ({ filters }) => filters.paths);
}

/** Parses people: the chosen Slack users, and email addresses separated by spaces, commas or semicolons. */
export function parsePeople(
  list: 'by' | 'notBy',
  people: { readonly userIds: readonly string[]; readonly emails: string },
): ParsedField<readonly PersonName[]> {
  const emails = people.emails.split(/[\s,;]/).filter((email) => email !== '');
  const who = [...people.userIds.map((userId) => ({ userId })), ...emails.map((email) => ({ email }))];
  return parseLine({ filters: { [list]: who } }, ({ filters }) => filters[list]);
}

/**
 * Parses a whole command as people see it (Slack would send it escaped): under any of its names, or without a slash what follows
 * `/plancast`. `me`: the Slack user who asks.
 */
export function parseTyped(line: string, me: string | null = null): Parsed {
  const [, name = '', rest = ''] = /^(\/\S+)\s*(.*)$/s.exec(line) ?? [];
  const { command, names } = readCommandName(name) ?? { command: 'plancast', names: defaultNames };
  return parseCommand(command, escapeEntities(name === '' ? line : rest), names, me);
}

/** Parses the name to show. */
export function parseName(text: string): ParsedField<string> {
  return parseLine({ name: text }, ({ name }) => name);
}

/** Checks the filters together: nobody can be in both lists of people. */
export function parseTogether(filters: TypedFilters): ParsedField<TypedFilters> {
  return parseLine({ filters }, (request) => request.filters);
}

/** Parses a field as a line of its own, so that a form can show an error at each field. `valueIn` returns the field's value in a request. */
function parseLine<T>(
  said: Partial<Pick<SubscribeRequest, 'target' | 'filters' | 'name'>>,
  valueIn: (request: SubscribeRequest) => T | undefined,
): ParsedField<T> {
  const usual = { act: 'subscribe', target: project, filters: {}, comprehensive: true } as const;
  const line = formatRequest({ ...usual, ...said });
  // The words around the field and the quotes of up to 50 patterns come in addition.
  if (line.length > longestLine + 500) return tooLong;
  const parsed = parseCommand('plancast', escapeEntities(line));
  if (!parsed.ok) return parsed;
  const value = parsed.request.act === 'subscribe' ? valueIn(parsed.request) : undefined;
  if (value === undefined) return { ok: false, mistake: { word: null, expected: 'something else' } };
  return { ok: true, value };
}

function isEmpty({ filters, when, threads }: SubscribeRequest): boolean {
  const said = [filters.only, filters.paths, filters.by, filters.notBy, when, threads];
  return said.every((each) => each === undefined);
}
