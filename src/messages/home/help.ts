import type { HelpEntry, HelpLine } from '../../core/model/commands.ts';
import type { Copy } from '../text/copy.ts';
import { context, type Message, messageOf, section } from '../text/message.ts';
import { joined, type Phrase, plainly, say, sentence, strong, typed } from '../text/phrase.ts';

/** Shows help: all verbs in brief, or a single verb in full. */
export function help(entries: readonly HelpEntry[], copy: Copy): Message {
  const [first, ...others] = entries;
  return first !== undefined && others.length === 0 ? atLength(first) : inBrief(entries, copy);
}

function inBrief(entries: readonly HelpEntry[], { serviceName, commands }: Copy): Message {
  return messageOf({
    lines: [
      say`I post changes to projects and sessions at ${plainly(serviceName)}.`,
      ...entries.map((entry): Phrase => say`${typed(entry.title)} – ${sentence(entry.description)}`),
    ],
    small: [
      say`More: ${typed(`${commands.plancast} help ${entries[0]?.topic ?? 'subscribe'}`)} · For yourself: end a subscribe command with ${typed('to me')}`,
    ],
  });
}

/** Renders the help on one verb, with examples to copy at the end. */
function atLength({ title, description, forms, options, defaults, examples }: HelpEntry): Message {
  const paragraphs: Phrase[][] = [
    [say`${typed(title)} – ${sentence(description)}`, ...forms.map(lineOf)],
    ...options.map((group) => [[strong(group.title)], ...group.lines.map(lineOf)]),
    ...(examples.length === 0
      ? []
      : [[[strong('Examples')], ...examples.map((example): Phrase => say`• ${typed(example)}`)]]),
  ];
  const back: Phrase = joined(
    defaults.map((words) => [typed(words)]),
    ', ',
  );
  const small: Phrase[] =
    defaults.length === 0 ? [] : [say`Options go in any order. Back to the default: ${back}`];
  return {
    text: messageOf({ lines: paragraphs.flat(), small }).text,
    blocks: [...paragraphs.map((lines) => section(lines)), ...small.map(context)],
  };
}

function lineOf({ usage, description }: HelpLine): Phrase {
  return say`• ${typed(usage)} – ${sentence(description)}`;
}
