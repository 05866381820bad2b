import { durationWord, followedWords, hasContents } from '../../core/model/format-request.ts';
import type { Choice, Followed, Request } from '../../core/model/request.ts';
import { maxMuteMinutes, readLinkCode } from '../../core/model/typed-text.ts';
import type { Command, Verb } from '../../core/model/verbs.ts';
import { type Line, longestKnown, type SaidOptions, type ValueFault } from './line.ts';
import { takeToMe } from './lists.ts';
import { noOptions, readOption, settingsOf, type TypedOptions } from './options.ts';
import { readQuiet, readRecap } from './read-times.ts';
import { noTargets, readNamed, readTarget, settleNames, type Targets } from './targets.ts';
import { isMuteLength, readDuration } from './time.ts';
import { isOneOf, meaningOf, type WordAt } from './vocabulary.ts';
import type { Part, Word } from './words.ts';

/** What a line was understood to ask for. */
export type LineReading = {
  /** Null if it is no request yet. */
  readonly request: Request | null;
  /** Whether it only shows something, and so runs whatever else was typed. */
  readonly onlyShows?: boolean;
  readonly faults?: readonly ValueFault[];
  readonly choices?: readonly Choice[];
  readonly lacks?: 'target' | 'command';
};

/** Reads a whole line. A short command is its verb; after the branded command, the verb may stand anywhere. */
export function readLine(line: Line, command: Command): LineReading {
  const verb = command === 'plancast' ? verbIn(line) : { word: command, isSlip: false };
  if (verb === null) return withoutVerb(line);
  line.noteSlip(verb.isSlip);
  return verb.word !== 'help' && asksForHelp(line)
    ? { request: { act: 'help', topic: verb.word }, onlyShows: true }
    : readVerb(line, verb.word);
}

/** Whether help is next, and not a name that begins with it, such as "H Block" or the known one "Help Desk". */
function asksForHelp(line: Line): boolean {
  if (isOneOf(line.peek(), ['h'])) return line.peek(1) === null;
  const isName = (name: string, _: Word, count: number) => count > 1 && line.with.names?.has(name) === true;
  return isOneOf(line.peek(), ['help']) && longestKnown(line, 0, isName) === null;
}

/** What these are about may stand before them. Before any other verb, words are left out. */
const isOfSubscriptions = (verb: Verb): boolean => /^(un)?subscri/.test(verb);

/** These, in front, are about what follows, also where that is a verb: `follow Quiet Waters`. `add` and `remove` have other meanings, too. */
const followVerbs = ['follow', 'watch', 'unfollow', 'unwatch'];

/** Finds and takes the verb: its own word anywhere, or a synonym or slip at the start. */
function verbIn(line: Line): { readonly word: Verb; readonly isSlip: boolean } | null {
  for (let word = line.peek(); word && !/[\p{L}\p{N}]/u.test(word.text); word = line.peek()) line.leave();
  const first = meaningOf('verb', line.peek());
  let ahead = 0;
  for (let word = line.peek(); word; word = line.peek(ahead)) {
    const meaning = meaningOf('verb', word);
    if (meaning && isOneOf(word, [meaning.word, ...(ahead === 0 ? followVerbs : [])])) break;
    ahead += 1;
  }
  const found = meaningOf('verb', line.peek(ahead)) ?? first;
  if (found === null) return null;
  const at = line.peek(ahead) === null ? 0 : ahead;
  line.takeAhead(at);
  if (!isOfSubscriptions(found.word)) for (let left = at; left > 0; left -= 1) line.leave();
  return found;
}

/** Reads a line without a verb: help if it is empty, and the subscription that it names. */
function withoutVerb(line: Line): LineReading {
  if (line.peek() === null) return { request: { act: 'help' }, onlyShows: true };
  const reading = readSubscribe(line);
  line.noteSlip(true);
  if (reading.lacks !== 'target') return reading;
  const choices: Choice[] = [
    { words: 'Subscribe this channel', request: { act: 'open-form' } },
    { words: 'Show subscriptions', request: { act: 'list' } },
    { words: 'Show recent changes', request: { act: 'recap' } },
    { words: 'Help', request: { act: 'help' } },
  ];
  return { request: null, choices, lacks: 'command' };
}

function readVerb(line: Line, verb: Verb): LineReading {
  const read = readers[verb];
  if (read) return read(line);
  while (line.peek()) line.leave();
  return { request: { act: verb }, onlyShows: verb !== 'unmute' } as LineReading;
}

/** What reads the rest of a line. Any other verb has nothing to read. */
const readers: Readonly<Partial<Record<Verb, (line: Line) => LineReading>>> = {
  subscribe: readSubscribe,
  unsubscribe: readUnsubscribe,
  subscriptions: (line) => ({ request: { act: 'list', ...readPersonal(line) }, onlyShows: true }),
  mute: readMute,
  quiet: readQuiet,
  link: readLink,
  recap: readRecap,
  help: (line) => {
    const topic = verbIn(line)?.word;
    return { request: topic === undefined ? { act: 'help' } : { act: 'help', topic }, onlyShows: true };
  },
};

type Personal = { readonly personal?: true };

/** Reads up to the end of a line of which only `to me` matters. */
function readPersonal(line: Line): Personal {
  let isPersonal = false;
  while (line.peek()) {
    if (takeToMe(line, true)) isPersonal = true;
    else line.leave();
  }
  return isPersonal ? { personal: true } : {};
}

type Following = Targets & {
  /** Whether `all` was typed. */
  isAll: boolean;
  personal: Personal;
  /** Whether nothing at all was typed but `to me`. */
  isEmpty: boolean;
};

/** Reads what a line is about, and its options, in one pass: they may stand anywhere, and every other word is left out. */
function readFollowing(line: Line, options: TypedOptions | null): Following {
  const read: Following = { ...noTargets(), isAll: false, personal: {}, isEmpty: true };
  const readRest = options ? () => readOption(line, options) : () => readAll(line, read);
  let isBehind = false;
  for (let word = line.peek(); word; word = line.peek()) {
    if (takeToMe(line)) {
      read.personal = { personal: true };
      continue;
    }
    read.isEmpty &&= !/[\p{L}\p{N}]/u.test(word.text);
    if (!isBehind && readNamed(line, read)) continue;
    const takes = isFollowedByNames(word);
    if (readRest()) isBehind = takes;
    else if (readTarget(line, read)) isBehind = false;
    else line.leave();
  }
  settleNames(line, read);
  if (read.found.length === 0 && line.with.assumed) read.found = [line.with.assumed];
  return read;
}

/** Behind these, words are folders or people, and no name of what to follow is looked for. */
const takesNames: ReadonlySet<string> = new Set<WordAt<'option'>>(['in', 'by', 'not', 'as', 'ping']);

function isFollowedByNames(word: Part): boolean {
  return takesNames.has(meaningOf('option', word)?.word ?? '');
}

/** Reads what else an unsubscribe line may say. A channel has one subscription to a resource, with or without `itself`. */
function readAll(line: Line, read: Following): boolean {
  const isAll = meaningOf('all', line.peek())?.word === 'all';
  const isRead = isAll || meaningOf('option', line.peek())?.word === 'itself';
  if (isRead) line.take();
  read.isAll ||= isAll;
  return isRead;
}

function readSubscribe(line: Line): LineReading {
  const options = noOptions();
  const { found: targets, faults: targetFaults, personal, isEmpty } = readFollowing(line, options);
  const form = { act: 'open-form', ...personal } as const;
  if (isEmpty) return { request: form, onlyShows: true };
  const [target = null, other] = targets;
  const settings = settingsOf(line, options);
  const faults = [...targetFaults, ...settings.faults];
  const request = (target: Followed, said: Partial<SaidOptions> = {}) => {
    const settled = { ...settings.said, ...said, filters: { ...settings.said.filters, ...said.filters } };
    const comprehensive = settled.comprehensive && hasContents(target);
    return { act: 'subscribe', target, ...settled, comprehensive, ...personal } as const;
  };
  if (other) return several(targets.map(choiceOf(request)), faults);
  if (target === null) {
    const choices = [{ words: 'Open the form', request: form }];
    return targetFaults.length > 0
      ? { request: null, faults }
      : { request: null, faults, choices, lacks: 'target' };
  }
  // Of several wrong values, a button for one would leave the others out.
  const instead = faults.length === 1 ? (faults[0]?.instead ?? []) : [];
  const choices = instead.map(({ words, said }) => ({
    words,
    request: request(target, said),
  }));
  return { request: request(target), faults, choices };
}

const choiceOf =
  (request: (target: Followed) => Request) =>
  (target: Followed): Choice => ({ words: followedWords(target), request: request(target) });

/** Asks which of several is meant. With something else to decide as well, none can be offered. */
function several(choices: readonly Choice[], faults: readonly ValueFault[]): LineReading {
  if (faults.length === 0) return { request: null, choices };
  const option = choices[0]?.request.act ?? '';
  const value = choices.map(({ words }) => words).join(' and ');
  return { request: null, faults: [{ option, value, expected: 'one at a time' }, ...faults] };
}

function readUnsubscribe(line: Line): LineReading {
  const { found: targets, faults, isAll, personal } = readFollowing(line, null);
  const all = { act: 'unsubscribe-all', ...personal } as const;
  const request = (target: Followed): Request => ({ act: 'unsubscribe', target, ...personal });
  const [target] = targets;
  const choices = [...targets.map(choiceOf(request)), ...(isAll ? [{ words: 'all', request: all }] : [])];
  if (target && choices.length > 1) return several(choices, faults);
  if (faults.length > 0) return { request: target ? request(target) : null, faults };
  if (target) return { request: request(target) };
  return isAll ? { request: all } : { request: { act: 'unsubscribe-list', ...personal }, onlyShows: true };
}

const muteExpected = 'a length of time, like 30m, 2h or 1d';
const muteItemExpected = `${muteExpected}. It mutes everything here; to mute one file, use the menu of its message`;

/** Reads how long to mute. */
function readMute(line: Line): LineReading {
  const isUntil = isOneOf(line.peek(), ['for', 'until', 'till']);
  if (isUntil) line.take();
  let minutes: number | null = null;
  const named: Part[] = [];
  for (let word = line.peek(); word; word = line.peek()) {
    const isFor = isOneOf(word, ['for']);
    if (isFor) line.take();
    const read: number | null = minutes === null ? readDuration(line) : null;
    if (read !== null) minutes = read;
    else if (isFor) line.leaveOut([word]);
    else {
      named.push(word);
      line.leave();
    }
  }
  if (minutes !== null && isMuteLength(minutes)) return { request: { act: 'mute', minutes } };
  return wrongMute(minutes, named, isUntil);
}

/**
 * Answers a mute of no length, or of a wrong one. It is for the whole channel, so that nothing is offered where the line names something else
 * and no time; behind `until`, it names no such thing.
 */
function wrongMute(minutes: number | null, named: readonly Part[], isUntil: boolean): LineReading {
  const lengths = lengthsFor(minutes, isUntil ? [] : named);
  const choices = lengths.map((length): Choice => {
    return { words: `mute ${durationWord(length)}`, request: { act: 'mute', minutes: length } };
  });
  const fault = (value: string | null, expected: string): LineReading => {
    return { request: null, faults: [{ option: 'mute', value, expected }], choices };
  };
  if (minutes !== null)
    return fault(durationWord(minutes), `from one minute to ${maxMuteMinutes / (24 * 60)} days`);
  if (isUntil) return fault(named.map(({ text }) => text).join(' ') || null, muteExpected);
  return fault(named[0]?.text ?? null, muteItemExpected);
}

/** Returns the lengths to offer in place of a wrong one: for a bare number, so many hours and minutes. */
function lengthsFor(minutes: number | null, named: readonly Part[]): readonly number[] {
  if (minutes !== null && minutes > maxMuteMinutes) return [maxMuteMinutes];
  const [number, more] = named;
  if (!number) return [60, 240, 24 * 60];
  const count = more || !/^\d{1,4}$/.test(number.text) ? 0 : Number(number.text);
  return [60 * count, count].filter(isMuteLength);
}

/** Reads a link code in upper or lower case, and with spaces or hyphens, as people copy it. */
function readLink(line: Line): LineReading {
  const words: Part[] = [];
  for (let word = line.peek(words.length); word; word = line.peek(words.length)) words.push(word);
  const whole = readLinkCode(words.map(({ text }) => text).join(' '));
  if (whole !== null) {
    line.take(words.length);
    return { request: { act: 'link', code: whole } };
  }
  const one = words.findIndex(({ text }) => /\d|^[A-Z]+$/.test(text) && readLinkCode(text));
  const code = readLinkCode(words[one]?.text ?? '');
  for (const index of words.keys()) {
    if (index === one) line.take();
    else line.leave();
  }
  if (code !== null) return { request: { act: 'link', code } };
  const wrong = words.find(({ text }) => /\d/.test(text));
  if (!wrong) return { request: { act: 'link' }, onlyShows: true };
  const expected = 'the 6 characters that the browser shows at the end of linking';
  return { request: null, faults: [{ option: 'link', value: wrong.text, expected }] };
}
