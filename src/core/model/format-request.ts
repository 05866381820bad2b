import { isDeepStrictEqual } from 'node:util';
import type {
  Followed,
  RecapRequest,
  Request,
  SubscribeRequest,
  TypedFilters,
  TypedQuiet,
  TypedWhen,
} from './request.ts';
import {
  type DigestExcept,
  eventWords,
  type PersonName,
  type Ping,
  pingedByDefault,
} from './subscription.ts';
import { type CommandNames, commandLine } from './verbs.ts';

/**
 * Formats a request as the words to type after `/plancast`, as plain text that is not escaped. Parsing them again (Slack then escapes
 * `&`, `<` and `>`) gives the same request. With `link` the result can contain a code, so it must not be logged.
 */
export function formatRequest(request: Request): string {
  const words = wordsOf(request);
  return 'personal' in request && request.personal ? `${words} to me` : words;
}

/** Returns a request as the command to type in a workspace. */
export function typedLine(request: Request, names: CommandNames): string {
  return commandLine(formatRequest(request), names);
}

function wordsOf(request: Request): string {
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
    case 'recap':
      return ['recap', ...sinceWords(request.since), ...(request.named ? [quote(request.named)] : [])].join(
        ' ',
      );
    case 'quiet':
      return quietWords(request.hours);
    default:
      return request.act;
  }
}

function sinceWords(since: RecapRequest['since']): string[] {
  if (since === undefined) return [];
  if (typeof since === 'string') return since === 'today' ? [since] : [`since ${since}`];
  return 'days' in since
    ? [`${since.days} ${since.days === 1 ? 'day' : 'days'}`]
    : [durationWord(since.minutes)];
}

function quietWords(hours?: TypedQuiet): string {
  if (hours === undefined) return 'quiet';
  if (hours === 'off') return 'quiet off';
  return `quiet ${hours.from}-${hours.to}${hours.weekends ? ' weekends' : ''}${exceptWords(hours)}`;
}

function subscribeWords({
  target,
  comprehensive,
  filters,
  when,
  threads,
  name,
  ping,
}: SubscribeRequest): string {
  const words = ['subscribe', followedWords(target)];
  if (!comprehensive && hasContents(target)) {
    words.push('itself');
  }
  words.push(...filterWords(filters));
  if (when) {
    words.push(whenWords(when));
  }
  if (threads !== undefined) {
    words.push(threads ? 'threads on' : 'threads off');
  }
  if (name) {
    words.push(`as ${quote(name)}`);
  }
  if (ping !== undefined) {
    words.push(pingWords(ping));
  }
  return words.join(' ');
}

function filterWords({ only, paths, by, notBy }: TypedFilters): string[] {
  const words: string[] = [];
  if (only) words.push('only', only.map((type) => eventWords[type]).join(',') || 'all');
  if (paths) words.push('in', paths.map(quote).join(' ') || 'anywhere');
  if (by) words.push('by', by.map(personWord).join(' ') || 'anyone');
  if (notBy) words.push('not by', notBy.map(personWord).join(' ') || 'nobody');
  return words;
}

/** Returns whether it can be followed with or without its contents, or the new versions of a file. */
export function hasContents({ kind }: Pick<Followed, 'kind'>): boolean {
  return kind !== 'document';
}

/** Returns the words that name a resource in a command. */
export function followedWords(target: Followed): string {
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

/** Quotes an item id unless nothing in it can be taken for a word of the grammar. Those words contain no digits. */
function itemWord(id: string): string {
  return /\d/.test(id) && /^[\w.~-]+$/.test(id) ? id : quote(id);
}

/** Puts text in quotes. Characters that would close the quotation are doubled. */
export function quote(text: string): string {
  return `"${text.replace(/["”]/g, '$&$&')}"`;
}

function personWord(person: PersonName): string {
  if ('userId' in person) return `<@${person.userId}>`;
  return /^[\w.+-]+@[\w.-]+$/.test(person.email) ? person.email : quote(person.email);
}

/** Returns the words that say whom to mention. */
function pingWords(ping: Ping | null): string {
  if (ping === null) return 'ping off';
  const whom =
    ping.kind === 'user'
      ? `<@${ping.id}>`
      : `<!subteam^${ping.id}${ping.name === undefined ? '' : `|@${ping.name}`}>`;
  const isUsual = isDeepStrictEqual(ping.on, pingedByDefault);
  return `ping ${whom}${isUsual ? '' : ` on ${ping.on.map((type) => eventWords[type]).join(',')}`}`;
}

/** Returns the words that say when to post. */
export function whenWords(when: TypedWhen): string {
  switch (when.when) {
    case 'live':
      return 'live';
    case 'hourly':
      return `digest hourly${exceptWords(when)}`;
    case 'daily':
      return `digest daily ${when.at}${when.weekdays ? ' weekdays' : ''}${exceptWords(when)}${zoneWords(when)}`;
    case 'weekly':
      return `digest weekly ${when.day} ${when.at}${exceptWords(when)}${zoneWords(when)}`;
  }
}

function zoneWords({ zone }: { readonly zone?: string | undefined }): string {
  return zone ? ` (${zone})` : '';
}

function exceptWords({ except = [] }: DigestExcept): string {
  return except.length === 0 ? '' : ` except ${except.map((type) => eventWords[type]).join(',')}`;
}

/** Returns a duration in minutes as it is typed: `90m`, `2h` or `1d`. */
export function durationWord(minutes: number): string {
  if (minutes % (24 * 60) === 0) return `${minutes / (24 * 60)}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}
