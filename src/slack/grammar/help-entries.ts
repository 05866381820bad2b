import type { CommandNames, HelpEntry } from '../../core/model/commands.ts';
import { commandLine, defaultNames } from '../../core/model/commands.ts';
import type { Verb } from '../../core/model/verbs.ts';
import { verbRows } from './verbs.ts';

/** Returns the help on one verb, or on all of them in order. Usage lines and examples use `names`. */
export function helpEntries(topic?: Verb | undefined, names: CommandNames = defaultNames): HelpEntry[] {
  return verbRows
    .filter(({ word }) => topic === undefined || word === topic)
    .map(({ word, description, forms, options, defaults, examples }) => ({
      topic: word,
      title: commandLine(word, names),
      description,
      forms: forms.map((form) => ({ ...form, usage: commandLine(form.usage, names) })),
      options,
      defaults,
      examples: examples.map((example) => commandLine(example, names)),
    }));
}
