import { isOneOf } from './cursor.ts';
import type { Word } from './words.ts';

/** Groups of options, named as in the form and in the order of help. */
export const optionGroups = ['Events', 'Delivery', 'More options'] as const;

type OptionRow = {
  /** Its first word. Unquoted, it ends a list. */
  readonly word: string;
  /** All its words, if there are more. */
  readonly words?: string;
  readonly alike: readonly string[];
  readonly group: (typeof optionGroups)[number];
  /** A typical use, for help. An option that only adds to another is shown after it: `digest daily 09:00 weekdays`. */
  readonly usage: string;
  /** What resets it to its default, since omitting an option keeps its current value. */
  readonly byDefault?: string;
  readonly description: string;
  /** An example with arguments. */
  readonly example: string;
};

/** The options after the resource of a subscription, which come in any order. Both the parser and help are built from these rows. */
export const optionRows = [
  {
    word: 'itself',
    alike: ['plain', 'alone'],
    group: 'More options',
    usage: 'itself',
    description: 'The project, folder or session itself, without its contents.',
    example: 'itself',
  },
  {
    word: 'only',
    alike: ['events', 'types', 'just'],
    group: 'Events',
    usage: 'only added,changed,deleted',
    byDefault: 'only all',
    description: 'Only these events.',
    example: 'only added,deleted',
  },
  {
    word: 'in',
    alike: ['path', 'paths', 'under', 'inside', 'within', 'inn', 'im', 'ni'],
    group: 'Events',
    usage: 'in "Plans/Level 1" "!Archive"',
    byDefault: 'in anywhere',
    description: 'Only changes in these folders. ! excludes one.',
    example: 'in "Plans/Level 1"',
  },
  {
    word: 'by',
    alike: ['from'],
    group: 'Events',
    usage: 'by dana@example.com @dana',
    byDefault: 'by anyone',
    description: 'Only changes by these people.',
    example: 'by dana@example.com',
  },
  {
    word: 'not',
    words: 'not by',
    alike: ['no', 'without', 'ignore'],
    group: 'Events',
    usage: 'not by dana@example.com @dana',
    byDefault: 'not by nobody',
    description: 'Ignore changes by these people.',
    example: 'not by dana@example.com',
  },
  {
    word: 'digest',
    alike: ['summary', 'digests', 'summarize'],
    group: 'Delivery',
    usage: 'digest daily 09:00',
    byDefault: 'digest off',
    description: 'One summary a day, in your time zone or (Europe/London). Or digest hourly.',
    example: 'digest daily 09:00',
  },
  {
    word: 'weekdays',
    alike: ['weekday', 'workdays'],
    group: 'Delivery',
    usage: 'digest daily 09:00 weekdays',
    description: 'No summary on Saturday and Sunday.',
    example: 'digest daily 09:00 weekdays',
  },
  {
    word: 'except',
    alike: ['excepting', 'but', 'exclude', 'excluding', 'minus'],
    group: 'Delivery',
    usage: 'digest hourly except deleted',
    description: 'Post these events right away, the rest in the digest.',
    example: 'digest hourly except deleted',
  },
  {
    word: 'live',
    alike: ['now', 'instantly', 'instant', 'immediately', 'immediate', 'realtime', 'real-time', 'asap'],
    group: 'Delivery',
    usage: 'live',
    description: 'Post changes as they happen. The default.',
    example: 'live',
  },
  {
    word: 'threads',
    alike: ['thread', 'threaded'],
    group: 'More options',
    usage: 'threads',
    byDefault: 'threads off',
    description: 'Group later changes to an item in its thread.',
    example: 'threads on',
  },
  {
    word: 'as',
    alike: ['named', 'name', 'called', 'titled'],
    group: 'More options',
    usage: 'as "Harbour Tower"',
    description: 'The name to show until the service sends one.',
    example: 'as "Harbour Tower"',
  },
] as const satisfies readonly OptionRow[];

/** Returns a line with a use of an option. */
export function exampleWith(option: string): string {
  return `subscribe project 123-456-789 ${option}`;
}

export type OptionWord = (typeof optionRows)[number]['word'];
export const optionWords = optionRows.map(({ word }) => word);
export const endsList = (word: Word): boolean => isOneOf(word, optionWords) || zoneIn(word) !== null;

/** Returns the time zone in a word such as `(Europe/London)`, which Node may not know; null if the word is none. */
export function zoneIn({ text, quoted }: Word): string | null {
  const [, zone = null] = /^\(([A-Z]{2,4}|[A-Za-z]+(?:\/[\w+-]+)+)\)$/.exec(quoted ? '' : text) ?? [];
  return zone;
}

/** How the options are called that a line can begin with, in the order of help. */
export const optionNames = optionRows
  .filter(({ word, usage }) => usage.startsWith(word))
  .map((row) => ('words' in row ? row.words : row.word));
