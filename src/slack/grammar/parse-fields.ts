import { defaultNames } from '../../core/model/commands.ts';
import type { Parsed } from '../../core/model/mistake.ts';
import type { Followed, SubscribeRequest, TypedFilters } from '../../core/model/request.ts';
import type { PersonName, TargetKind } from '../../core/model/subscription.ts';
import {
  isEmail,
  isItemId,
  isName,
  isUserId,
  maxItemIdLength,
  maxListLength,
  maxNameLength,
} from '../../core/model/typed-text.ts';
import type { FieldFault } from '../../messages/subscribing/form-values.ts';
import { escapeEntities } from '../../messages/text/escape.ts';
import { readCommandName } from './command-names.ts';
import type { ReadWith } from './line.ts';
import { distinctPeople, inBoth } from './lists.ts';
import { longestLine, parseCommand } from './parse-command.ts';
import { patternsFault, withoutRoot } from './patterns.ts';
import { withoutInvisible } from './words.ts';

/** The value read from a form field, or why it could not be read. */
export type ParsedField<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly mistake: FieldFault };

function wrong(word: string | null, expected: string) {
  return { ok: false, mistake: { word: word?.slice(0, 80).toWellFormed() ?? null, expected } } as const;
}

/**
 * Parses the resource field, a link or an id, as a typed line is. `kind` is null if the link decides it. For a folder, file or document this
 * field names the project or session that contains it; its own id has a field of its own.
 */
export function parseResource(text: string, kind: TargetKind | null): ParsedField<Followed> {
  if (text.length > longestLine) return wrong(null, 'at most 4,000 characters');
  const holder = kind === null ? '' : kind === 'session' || kind === 'document' ? 'session' : 'project';
  const parsed = parseCommand('subscribe', `${holder} ${escapeEntities(text)}`);
  if (parsed.ok && parsed.request.act === 'subscribe' && isEmpty(parsed.request))
    return { ok: true, value: parsed.request.target };
  const isOther = !parsed.ok && parsed.mistake.choices.length > 1 && holder !== '';
  const expected = isOther ? `a link to a ${holder}` : 'a link or a 9-digit id, and nothing else';
  return wrong(text.trim() || null, expected);
}

function isEmpty({ filters, when, threads, name, ping, personal }: SubscribeRequest): boolean {
  const said = [filters.only, filters.paths, filters.by, filters.notBy, when, threads, name, ping, personal];
  return said.every((each) => each === undefined);
}

/** Parses the id of a folder, file or document. */
export function parseItemId(text: string, kind: 'folder' | 'file' | 'document'): ParsedField<string> {
  const value = withoutInvisible(text).trim();
  if (isItemId(value)) return { ok: true, value };
  const form = value === '' ? '' : `, at most ${maxItemIdLength} characters long and without slashes`;
  return wrong(value || null, `the id of the ${kind}${form}`);
}

/** Parses patterns, one per line, with or without quotes. */
export function parsePaths(text: string): ParsedField<readonly string[]> {
  const paths = text
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => withoutInvisible(line).trim())
    .filter((line) => line !== '')
    .map((line) => line.replace(/^(!?)["“”„«»](.*)["“”«»]$/, '$1$2').trim());
  const value = withoutRoot(paths);
  const fault = patternsFault(value);
  return fault === null ? { ok: true, value } : wrong(fault.value, fault.expected);
}

/** Parses people: the chosen Slack users, and email addresses separated by spaces, commas or semicolons. */
export function parsePeople(people: {
  readonly userIds: readonly string[];
  readonly emails: string;
}): ParsedField<readonly PersonName[]> {
  const emails = withoutInvisible(people.emails)
    .split(/[\s,;]/)
    .filter((email) => email !== '');
  const bad = emails.find((email) => !isEmail(email));
  if (bad !== undefined) return wrong(bad, 'an email address');
  const userIds = people.userIds.filter(isUserId);
  const all = [...userIds.map((userId) => ({ userId })), ...emails.map((email) => ({ email }))];
  const value = distinctPeople(all);
  return value.length > maxListLength ? wrong(null, `at most ${maxListLength} people`) : { ok: true, value };
}

/** Parses the name to show. */
export function parseName(text: string): ParsedField<string> {
  const value = withoutInvisible(text).trim();
  return isName(value)
    ? { ok: true, value }
    : wrong(value || null, `a name of at most ${maxNameLength} characters`);
}

/** Checks the two lists of people together: nobody can be in both. */
export function parseTogether({ by = [], notBy = [] }: TypedFilters): ParsedField<null> {
  const both = inBoth(by, notBy);
  return both === null
    ? { ok: true, value: null }
    : wrong(both, 'each person in one of the two lists, not both');
}

/**
 * Parses a whole command as people see it (Slack would send it escaped): under any of its names, or without a slash what follows
 * `/plancast`.
 */
export function parseTyped(line: string, readWith: ReadWith = {}): Parsed {
  const [, name = '', rest = ''] = /^(\/\S+)\s*(.*)$/s.exec(line) ?? [];
  const { command } = readCommandName(name) ?? { command: 'plancast', names: defaultNames };
  return parseCommand(command, escapeEntities(name === '' ? line : rest), readWith);
}
