/** A verb that takes no arguments. Its row is its help; who may do it, and what it does, is in `src/core/acts/acts.ts`. */
type BareVerbRow = {
  readonly description: string;
  /** What typing it does, in the words of help. */
  readonly usage: string;
  /** Whether it changes anything, and so does not run if some of the line was left out. */
  readonly changes?: true;
};

/** `src/slack/grammar/read-line.ts` reads the arguments of these. */
const withArguments = null;

/** Every verb, in the order of help. */
const table = {
  subscribe: withArguments,
  unsubscribe: withArguments,
  subscriptions: withArguments,
  help: withArguments,
  link: withArguments,
  unlink: {
    description: 'Unlink your account. Lists what stops, and asks first.',
    usage: 'Lists what stops, and asks first.',
  },
  status: {
    description: 'Show your linked account.',
    usage: 'Names the linked account.',
  },
  settings: {
    description: 'Show or change the settings of this workspace.',
    usage: 'Shows the settings.',
  },
  mute: withArguments,
  unmute: {
    description: 'Post here again, with one summary of what you missed.',
    usage: 'Ends the mute now.',
    changes: true,
  },
  quiet: withArguments,
  doctor: {
    description: 'Check your link, this channel and its subscriptions, with a fix for each problem.',
    usage: 'Runs the checks.',
  },
  why: {
    description: 'Show why recent changes were or weren’t posted here.',
    usage: 'Shows recent activity and what happened to it.',
  },
  recap: withArguments,
  export: {
    description: 'Show the subscriptions of your channels as lines to keep, edit or import.',
    usage: 'Shows up to 12,000 characters.',
  },
  import: {
    description: 'Subscribe channels from lines, such as those of an export.',
    usage: 'Opens a form that checks the lines before anything changes.',
  },
} as const satisfies Readonly<Record<string, BareVerbRow | typeof withArguments>>;

export type Verb = keyof typeof table;
/** A verb that is a request on its own. */
export type BareVerb = { [V in Verb]: (typeof table)[V] extends null ? never : V }[Verb];

export const verbs = Object.keys(table) as readonly Verb[];
export const bareVerbs = verbs.filter(isBareVerb);

/** Returns whether a word is a verb that takes no arguments. */
export function isBareVerb(word: string): word is BareVerb {
  return Object.hasOwn(table, word) && table[word as Verb] !== null;
}

export function bareVerbRow(word: BareVerb): BareVerbRow {
  return table[word];
}
