import type { HelpEntry, HelpLine } from '../../core/model/commands.ts';
import type { Copy } from '../text/copy.ts';
import { type Message, messageOf } from '../text/message.ts';
import { type Phrase, plainly, sentence, strong, typed } from '../text/phrase.ts';

/** Help: all verbs in brief, or one of them at length where there is only one. */
export function help({
  entries,
  copy,
}: {
  readonly entries: readonly HelpEntry[];
  readonly copy: Copy;
}): Message {
  const [first, ...others] = entries;
  return first !== undefined && others.length === 0 ? atLength(first) : inBrief(entries, copy);
}

function inBrief(entries: readonly HelpEntry[], { serviceName, commands }: Copy): Message {
  return messageOf({
    lines: [
      ['I post what changes in projects and sessions at ', plainly(serviceName), '.'],
      ...entries.map((entry): Phrase => [typed(entry.title), ' – ', sentence(entry.description)]),
    ],
    small: [
      [
        'More: ',
        typed(`${commands.plancast} help ${entries[0]?.topic ?? 'subscribe'}`),
        ' · For yourself: end a command with ',
        typed('to me'),
      ],
    ],
  });
}

function atLength({ title, description, forms, options, examples }: HelpEntry): Message {
  return messageOf({
    lines: [
      [typed(title), ' – ', sentence(description)],
      ...forms.map(lineOf),
      ...(options.length === 0 ? [] : [[strong('Then, in any order'), ':'], ...options.map(lineOf)]),
      ...(examples.length === 0
        ? []
        : [[strong('For example'), ':'], ...examples.map((example) => ['• ', typed(example)])]),
    ],
  });
}

function lineOf({ usage, description }: HelpLine): Phrase {
  return ['• ', typed(usage), ' – ', sentence(description)];
}
