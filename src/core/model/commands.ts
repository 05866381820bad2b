import type { Verb } from './verbs.ts';

/** The slash commands. The last one reaches every verb, because `/subscribe` may belong to another app in a workspace. */
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

/**
 * Formats the words after `/plancast` as the command to type in this workspace: `subscribe project 123-456-789` becomes `/subscribe
 * project 123-456-789`, and `mute 2h` becomes `/plancast mute 2h`.
 */
export function commandLine(words: string, names: CommandNames): string {
  const space = words.indexOf(' ');
  const verb = space === -1 ? words : words.slice(0, space);
  if (verb === 'subscribe' || verb === 'unsubscribe' || verb === 'subscriptions') {
    return names[verb] + words.slice(verb.length);
  }
  return `${names.plancast} ${words}`;
}

/** One line of help: what to type, and what it does. */
export type HelpLine = { readonly usage: string; readonly description: string };

/** A titled group of options in the help on a verb. */
export type HelpGroup = { readonly title: string; readonly lines: readonly HelpLine[] };

/** Help on one verb, as plain text that is not escaped yet. */
export type HelpEntry = {
  readonly topic: Verb;
  /** The command with its verb. */
  readonly title: string;
  readonly description: string;
  readonly forms: readonly HelpLine[];
  /** What can follow, in any order, each at most once. */
  readonly options: readonly HelpGroup[];
  /** Options that reset others to their defaults. */
  readonly defaults: readonly string[];
  /** Complete commands that work. */
  readonly examples: readonly string[];
};
