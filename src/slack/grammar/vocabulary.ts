import type { DayOfWeek, TargetKind } from '../../core/model/subscription.ts';
import type { Verb } from '../../core/model/verbs.ts';
import { countSlips } from '../../lib/text.ts';
import { fold, type Part } from './words.ts';

/**
 * Every word of the grammar, by where it can stand, with its synonyms. A synonym is understood like the word itself. It must not be a word
 * that people type around a command, such as `now`, `from` or `please`.
 */
const table = {
  verb: {
    subscribe: 'follow watch add sub',
    unsubscribe: 'unfollow unwatch unsub remove stop',
    subscriptions: 'list ls subs show',
    help: 'hi hello hey commands usage hilfe ayuda aide',
    link: 'login signin connect auth relink code',
    unlink: 'logout signout disconnect un-link',
    status: 'whoami account info',
    settings: 'config configure preferences',
    mute: 'pause snooze silence',
    unmute: 'resume unpause unsnooze un-mute',
    quiet: 'dnd quiethours quiet-hours',
    doctor: 'debug check diagnose test',
    why: 'trace explain',
    recap: 'history catchup catch-up',
    export: 'backup dump download',
    import: 'restore upload',
  } satisfies Record<Verb, string>,
  kind: {
    project: 'projects proj prj',
    folder: 'dir directory subfolder',
    file: 'item',
    session: 'sessions',
    document: 'doc',
  } satisfies Record<TargetKind, string>,
  option: {
    itself: 'alone',
    only: '',
    without: 'no',
    in: 'inside within under',
    by: '',
    not: '',
    digest: 'digests summary',
    except: 'excepting excluding',
    live: 'instant instantly realtime real-time',
    threads: 'thread threaded',
    as: 'named called',
    ping: 'mention',
  },
  schedule: {
    hourly: '',
    daily: 'everyday',
    weekly: '',
    weekdays: 'weekday workdays mon-fri',
    off: 'none never',
  },
  type: {
    added: 'add adds create creates created new uploaded uploads additions',
    changed: 'change changes update updates updated modified edited edits modifications',
    deleted: 'delete deletes remove removes removed deletions removals',
  },
  day: {
    sunday: 'sundays sun',
    monday: 'mondays mon',
    tuesday: 'tuesdays tue tues',
    wednesday: 'wednesdays wed',
    thursday: 'thursdays thu thur thurs',
    friday: 'fridays fri',
    saturday: 'saturdays sat',
  } satisfies Record<DayOfWeek, string>,
  since: { today: '', yesterday: '' },
  switch: { on: 'yes true enabled always', off: 'no none false never disabled' },
  quiet: { weekends: 'weekend', off: 'none never no stop' },
  all: { all: 'everything', off: 'none' },
  anywhere: { anywhere: 'everywhere', off: 'none' },
  anyone: { anyone: 'anybody everyone everybody all', off: 'none nobody noone' },
  unit: { minutes: 'm min mins minute', hours: 'h hr hrs hour', days: 'd day', weeks: 'w week' },
} as const;

export type WordPlace = keyof typeof table;
export type WordAt<P extends WordPlace> = keyof (typeof table)[P] & string;

type Vocabulary = { readonly words: readonly string[]; readonly meanings: ReadonlyMap<string, string> };

const entries = new Map<string, Vocabulary>(
  Object.entries(table).map(([place, words]) => [
    place,
    {
      words: Object.keys(words),
      meanings: new Map(
        Object.entries(words).flatMap(([word, synonyms]) =>
          [word, ...synonyms.split(' ').filter(Boolean)].map((each) => [each, word] as const),
        ),
      ),
    },
  ]),
);

/** What a typed word stands for. */
type Meaning<P extends WordPlace> = {
  readonly word: WordAt<P>;
  /** Whether it was mistyped, so that the person is asked before anything runs. */
  readonly isSlip: boolean;
};

/**
 * Returns the word of the grammar that a typed one is, is a synonym of, or is a slip of: one letter, or two neighbors swapped, in a word of
 * four to six letters, and two in a longer one. Null if there is none, or several are equally near. A quoted word is never one.
 */
export function meaningOf<P extends WordPlace>(place: P, part: Part | null): Meaning<P> | null {
  const entry = entries.get(place);
  if (part === null || part.quoted || part.mark !== null || entry === undefined) return null;
  const typed = bare(part.text);
  const exact = entry.meanings.get(typed);
  const word = exact ?? leastSlips(typed, entry.words);
  return word === undefined ? null : { word: word as WordAt<P>, isSlip: exact === undefined };
}

/** Whether a word, unquoted, is one of the grammar wherever it can stand there, so that it is no id and no name. */
export function isGrammarWord(part: Part): boolean {
  if (part.quoted) return false;
  const typed = bare(part.text);
  return ['to', 'me'].includes(typed) || [...entries.values()].some(({ words }) => words.includes(typed));
}

/** Whether a word, unquoted, is one of these. */
export function isOneOf(part: Part | null, words: readonly string[]): boolean {
  return part !== null && !part.quoted && words.includes(bare(part.text));
}

/** Returns a word without the punctuation around it: people type `thanks!`, `by:` and `why???`. */
export function bare(text: string): string {
  return fold(text).replace(/^[^\p{L}\p{N}]{1,3}|[^\p{L}\p{N}]{1,3}$/gu, '');
}

function leastSlips(typed: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = 3;
  for (const word of words) {
    const most = word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
    if (most === 0 || Math.abs(word.length - typed.length) > most) continue;
    const slips = countSlips(typed, word);
    if (slips > most || slips > fewest) continue;
    best = slips < fewest ? word : undefined;
    fewest = slips;
  }
  return best;
}
