import { commandLine, type HelpLines, helpTexts, type Verb, verbs } from '../../core/model/verbs.ts';
import type { Copy } from '../text/copy.ts';
import { type Message, messageOf } from '../text/message.ts';
import { joined, type Phrase, plainly, say, sentence, strong, typed } from '../text/phrase.ts';

/** Shows how commands are typed: all verbs in brief, or a single verb in full, with examples to copy at the end. */
export function help(topic: Verb | undefined, { serviceName, commands }: Copy): Message {
  const title = (verb: Verb): Phrase =>
    say`${typed(commandLine(verb, commands))} – ${sentence(helpTexts[verb].description)}`;
  if (topic === undefined) {
    return messageOf({
      lines: [say`I post changes to projects and sessions at ${plainly(serviceName)}.`, ...verbs.map(title)],
      small: [
        say`More: ${typed(`${commands.plancast} help subscribe`)} · For yourself: end a subscribe command with ${typed('to me')}`,
      ],
    });
  }
  const { forms, options = {}, defaults = [], examples = Object.keys(forms) } = helpTexts[topic];
  const linesOf = (lines: HelpLines, write = (words: string) => words) =>
    Object.entries(lines).map(([words, does]): Phrase => say`• ${typed(write(words))} – ${sentence(does)}`);
  const inFull = (words: string) => commandLine(words, commands);
  const back = joined(
    defaults.map((words): Phrase => [typed(words)]),
    ', ',
  );
  return messageOf({
    lines: [title(topic), ...linesOf(forms, inFull)],
    rows: [
      ...Object.entries(options).map(([group, lines]) => ({ lines: [[strong(group)], ...linesOf(lines)] })),
      { lines: [[strong('Examples')], ...examples.map((example) => say`• ${typed(inFull(example))}`)] },
    ],
    small: [defaults.length > 0 && say`Options go in any order. Back to the default: ${back}`],
  });
}
