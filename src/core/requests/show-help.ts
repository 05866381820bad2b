import { help } from '../../messages/home/help.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { CommandNames, HelpEntry } from '../model/commands.ts';
import type { Verb } from '../model/verbs.ts';

/** Shows how commands are typed: all of them briefly, or one verb in detail. */
export type ShowHelp = (context: CommandContext, topic: Verb | undefined) => Promise<void>;

export function makeShowHelp(deps: {
  /** Returns the entries, built from the same table as the parser. */
  readonly entries: (topic: Verb | undefined, names: CommandNames) => readonly HelpEntry[];
}): ShowHelp {
  return (context, topic) => context.reply(help(deps.entries(topic, context.copy.commands), context.copy));
}
