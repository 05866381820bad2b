import { z } from 'zod';
import type { EventType, PersonName, Target } from './subscription.ts';
import { eventTypes } from './subscription.ts';

/** The slash commands. The last one reaches every verb, since a workspace can hold another app's `/subscribe`. */
export const commands = ['subscribe', 'unsubscribe', 'subscriptions', 'plancast'] as const;
export type Command = (typeof commands)[number];

/** How each command is typed in this workspace, with its slash: `/studio-subscribe`, or `/plancast subscribe`. */
export type CommandNames = Readonly<Record<Command, string>>;

export const defaultNames: CommandNames = {
  subscribe: '/subscribe',
  unsubscribe: '/unsubscribe',
  subscriptions: '/subscriptions',
  plancast: '/plancast',
};

/** The verbs, in the order in which help lists them. */
export const verbs = [
  'subscribe',
  'unsubscribe',
  'subscriptions',
  'help',
  'link',
  'unlink',
  'status',
  'settings',
  'mute',
  'unmute',
  'doctor',
  'why',
] as const;
export type Verb = (typeof verbs)[number];

/** What is to be followed, or no longer: `unknown` where an id was given and not whether it is a project's or a session's. */
export type Followed = Target | { readonly kind: 'unknown'; readonly id: string };

/** Filters as far as they were typed: what was not said is undefined, and an empty list was said to let everything pass. */
export type TypedFilters = {
  readonly only?: readonly EventType[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly by?: readonly PersonName[] | undefined;
  readonly notBy?: readonly PersonName[] | undefined;
};

/** When to post, as typed. `at` is `HH:MM`; whose clock that is, is known where the person's profile is. */
export type TypedWhen =
  | { readonly when: 'live' }
  | { readonly when: 'hourly' }
  | { readonly when: 'daily'; readonly at: string };

export type SubscribeRequest = {
  readonly act: 'subscribe';
  readonly target: Followed;
  /** False for folders, files and documents, and where `itself` was typed. */
  readonly comprehensive: boolean;
  readonly filters: TypedFilters;
  readonly when?: TypedWhen | undefined;
  readonly threads?: boolean | undefined;
};

/** What a person asked for by typing. It is stored while they link, and then carried out. */
export type Request =
  | { readonly act: 'open-form' }
  | SubscribeRequest
  | { readonly act: 'unsubscribe-list' }
  | { readonly act: 'unsubscribe'; readonly target: Followed }
  | { readonly act: 'unsubscribe-all' }
  | { readonly act: 'list' }
  | { readonly act: 'help'; readonly topic?: Verb | undefined }
  | { readonly act: 'link'; readonly code?: string | undefined }
  | { readonly act: 'unlink' }
  | { readonly act: 'status' }
  | { readonly act: 'settings' }
  | { readonly act: 'mute'; readonly minutes: number }
  | { readonly act: 'unmute' }
  | { readonly act: 'doctor' }
  | { readonly act: 'why' };

/** Why a typed line was not understood. All of it is plain text that still has to be escaped. */
export type Mistake = {
  /** The word as typed, shortened; null where something is missing at the end. */
  readonly word: string | null;
  /** Where that word begins in the text of the command, or where the missing one would. */
  readonly position: number;
  /** The last word that was understood before it, shortened. */
  readonly after: string | null;
  /** What was expected there: it goes behind "expected" in a sentence. */
  readonly expected: string;
  /** What was probably meant instead of the word. */
  readonly meant?: string | undefined;
  /** A whole command that works, in the form this person typed; where possible their own line mended. */
  readonly example: string;
};

/** One line of help: what to type, and what it does. */
export type HelpLine = { readonly usage: string; readonly description: string };

/** Help on one verb, as plain text that still has to be escaped. */
export type HelpEntry = {
  readonly topic: Verb;
  /** The command with its verb. */
  readonly title: string;
  readonly description: string;
  readonly forms: readonly HelpLine[];
  /** What may follow, in any order. */
  readonly options: readonly HelpLine[];
  /** Whole commands that work. */
  readonly examples: readonly string[];
};

/** Ids of items and documents are opaque; the service's form for them is not known. */
export const maxItemIdLength = 200;
export const maxGlobLength = 1_000;
/** Of globs, and of people, in one subscription. */
export const maxListLength = 50;
/** A month: what has waited longer than a week is only counted anyway. */
export const maxMuteMinutes = 30 * 24 * 60;

const codeForm = /^[A-HJ-NP-Z2-9]{6}$/;
const userIdForm = /^[UW][A-Z0-9]{1,30}$/;

/** Whether a text can be the id of an item or document. Dots alone would climb in a path of the service's interface. */
export function isItemId(text: string): boolean {
  return isLine(text, maxItemIdLength) && !text.includes('/') && text !== '.' && text !== '..';
}

/** Whether a text can be a glob: something, and something behind a leading `!`. */
export function isGlob(text: string): boolean {
  return isLine(text, maxGlobLength) && text !== '!';
}

/** Whether a text has the form of an e-mail address. */
export function isEmail(text: string): boolean {
  const [name, domain, more] = text.split('@', 3);
  if (!name || !domain || more !== undefined || !isLine(text, 254)) {
    return false;
  }
  return !/[\s<>,;:"()[\]]/.test(text) && domain.split('.').every((label) => label !== '');
}

/** Whether a text is a Slack user id (Slack: they begin with U, or with W for some in organisations). */
export function isUserId(text: string): boolean {
  return userIdForm.test(text);
}

/** Whether a text is a code shown at the end of linking. */
export function isLinkCode(text: string): boolean {
  return codeForm.test(text);
}

/** One line without control characters and outer space; Postgres takes neither NUL nor half a surrogate pair. */
function isLine(text: string, maxLength: number): boolean {
  return (
    text !== '' &&
    text.length <= maxLength &&
    text.trim() === text &&
    text.isWellFormed() &&
    !/[\p{Cc}\u2028\u2029]/u.test(text)
  );
}

const idSchema = z.string().regex(/^\d{3}-\d{3}-\d{3}$/);
const itemIdSchema = z.string().refine(isItemId);
const followedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('project'), projectId: idSchema }),
  z.object({ kind: z.enum(['folder', 'file']), projectId: idSchema, itemId: itemIdSchema }),
  z.object({ kind: z.literal('session'), sessionId: idSchema }),
  z.object({ kind: z.literal('document'), sessionId: idSchema, documentId: itemIdSchema }),
  z.object({ kind: z.literal('unknown'), id: idSchema }),
]);
const peopleSchema = z
  .array(
    z.union([
      z.object({ email: z.string().refine(isEmail) }),
      z.object({ userId: z.string().refine(isUserId) }),
    ]),
  )
  .max(maxListLength);

/** Reads a stored request back. */
export const requestSchema: z.ZodType<Request> = z.discriminatedUnion('act', [
  z.object({ act: z.literal('open-form') }),
  z.object({
    act: z.literal('subscribe'),
    target: followedSchema,
    comprehensive: z.boolean(),
    filters: z.object({
      only: z.array(z.enum(eventTypes)).optional(),
      paths: z.array(z.string().refine(isGlob)).max(maxListLength).optional(),
      by: peopleSchema.optional(),
      notBy: peopleSchema.optional(),
    }),
    when: z
      .discriminatedUnion('when', [
        z.object({ when: z.literal('live') }),
        z.object({ when: z.literal('hourly') }),
        z.object({ when: z.literal('daily'), at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/) }),
      ])
      .optional(),
    threads: z.boolean().optional(),
  }),
  z.object({ act: z.literal('unsubscribe-list') }),
  z.object({ act: z.literal('unsubscribe'), target: followedSchema }),
  z.object({ act: z.literal('unsubscribe-all') }),
  z.object({ act: z.literal('list') }),
  z.object({ act: z.literal('help'), topic: z.enum(verbs).optional() }),
  z.object({ act: z.literal('link'), code: z.string().regex(codeForm).optional() }),
  z.object({ act: z.literal('unlink') }),
  z.object({ act: z.literal('status') }),
  z.object({ act: z.literal('settings') }),
  z.object({ act: z.literal('mute'), minutes: z.int().min(1).max(maxMuteMinutes) }),
  z.object({ act: z.literal('unmute') }),
  z.object({ act: z.literal('doctor') }),
  z.object({ act: z.literal('why') }),
]);

/**
 * A request in words, as they would be typed behind `/plancast`: plain text, not escaped. Typed again (Slack then escapes `&`, `<`
 * and `>`) it is the same request. With `link` it can hold a code, so it does not belong in a log.
 */
export function formatRequest(request: Request): string {
  switch (request.act) {
    case 'open-form':
      return 'subscribe';
    case 'subscribe':
      return subscribeWords(request);
    case 'unsubscribe-list':
      return 'unsubscribe';
    case 'unsubscribe':
      return `unsubscribe ${followedWords(request.target)}`;
    case 'unsubscribe-all':
      return 'unsubscribe all';
    case 'list':
      return 'subscriptions';
    case 'help':
      return request.topic === undefined ? 'help' : `help ${request.topic}`;
    case 'link':
      return request.code === undefined ? 'link' : `link ${request.code}`;
    case 'mute':
      return `mute ${durationWord(request.minutes)}`;
    case 'unlink':
    case 'status':
    case 'settings':
    case 'unmute':
    case 'doctor':
    case 'why':
      return request.act;
  }
}

/**
 * A whole command as it is typed in this workspace, from the words behind `/plancast`: `subscribe project 123-456-789` becomes
 * `/subscribe project 123-456-789`, `mute 2h` becomes `/plancast mute 2h`.
 */
export function commandLine(words: string, names: CommandNames = defaultNames): string {
  const space = words.indexOf(' ');
  const verb = space === -1 ? words : words.slice(0, space);
  if (verb === 'subscribe' || verb === 'unsubscribe' || verb === 'subscriptions') {
    return names[verb] + words.slice(verb.length);
  }
  return `${names.plancast} ${words}`;
}

function subscribeWords({ target, comprehensive, filters, when, threads }: SubscribeRequest): string {
  const words = ['subscribe', followedWords(target)];
  if (!comprehensive && !isWithin(target)) {
    words.push('itself');
  }
  if (filters.only) {
    words.push('only', filters.only.join(',') || 'all');
  }
  if (filters.paths) {
    words.push('in', filters.paths.map(quote).join(' ') || 'anywhere');
  }
  if (filters.by) {
    words.push('by', filters.by.map(personWord).join(' ') || 'anyone');
  }
  if (filters.notBy) {
    words.push('not by', filters.notBy.map(personWord).join(' ') || 'nobody');
  }
  if (when) {
    words.push(whenWords(when));
  }
  if (threads !== undefined) {
    words.push(threads ? 'threads on' : 'threads off');
  }
  return words.join(' ');
}

function isWithin(target: Followed): boolean {
  return target.kind === 'folder' || target.kind === 'file' || target.kind === 'document';
}

function followedWords(target: Followed): string {
  switch (target.kind) {
    case 'project':
      return `project ${target.projectId}`;
    case 'folder':
    case 'file':
      return `${target.kind} ${target.projectId} ${itemWord(target.itemId)}`;
    case 'session':
      return `session ${target.sessionId}`;
    case 'document':
      return `document ${target.sessionId} ${itemWord(target.documentId)}`;
    case 'unknown':
      return target.id;
  }
}

/** Bare where nothing in it could be taken for a word of the grammar, none of which holds a digit. */
function itemWord(id: string): string {
  return /\d/.test(id) && /^[\w.~-]+$/.test(id) ? id : quote(id);
}

/** What would close the quotation is doubled in it. */
function quote(text: string): string {
  return `"${text.replace(/["”]/g, '$&$&')}"`;
}

function personWord(person: PersonName): string {
  if ('userId' in person) {
    return `<@${person.userId}>`;
  }
  return /^[\w.+-]+@[\w.-]+$/.test(person.email) ? person.email : quote(person.email);
}

function whenWords(when: TypedWhen): string {
  switch (when.when) {
    case 'live':
      return 'live';
    case 'hourly':
      return 'digest hourly';
    case 'daily':
      return `digest daily ${when.at}`;
  }
}

function durationWord(minutes: number): string {
  if (minutes % (24 * 60) === 0) {
    return `${minutes / (24 * 60)}d`;
  }
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}
