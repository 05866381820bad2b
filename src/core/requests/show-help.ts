import { help } from '../../messages/home/help.ts';
import type { Wording } from '../../messages/text/copy.ts';
import type { Asked } from '../access/command-context.ts';
import type { CommandNames, HelpEntry, Verb } from '../model/request.ts';

/** Tells how things are typed, all in brief or one verb at length. */
export type ShowHelp = (asked: Asked, topic: Verb | undefined) => Promise<void>;

export function makeShowHelp(deps: {
  /** Made of the same table as the parser. */
  readonly entries: (topic: Verb | undefined, names: CommandNames) => readonly HelpEntry[];
  readonly wording: (asked: Asked) => Wording;
}): ShowHelp {
  return (asked, topic) =>
    asked.reply(help({ entries: deps.entries(topic, asked.names), wording: deps.wording(asked) }));
}
