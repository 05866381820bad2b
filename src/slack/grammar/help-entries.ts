import { type CommandNames, commandLine, defaultNames, type HelpEntry } from '../../core/model/commands.ts';
import { type BareVerb, bareVerbRow, isBareVerb, type Verb, verbs } from '../../core/model/verbs.ts';
import { kinds, kindUsage } from './kinds.ts';
import { optionGroups, optionRows } from './option-rows.ts';

/** The help on a verb with all its forms. Words are written as typed after `/plancast`. */
type VerbRow = Pick<HelpEntry, 'description' | 'forms' | 'examples'> &
  Partial<Pick<HelpEntry, 'options' | 'defaults'>>;

/** Verbs that take arguments, or whose request has a different name. */
const rowsWithArguments: Readonly<Record<Exclude<Verb, BareVerb>, VerbRow>> = {
  subscribe: {
    description: 'Subscribe this channel. Run it again to change its options.',
    forms: [
      { usage: 'subscribe', description: 'Opens a form.' },
      ...kinds.map((kind) => ({ usage: `subscribe ${kindUsage(kind)}`, description: kind.description })),
      {
        usage: 'subscribe https://…',
        description:
          'Whatever the link points to, by the 9-digit id in it. Or type the name of a project or session.',
      },
    ],
    options: optionGroups.map((title) => ({
      title,
      lines: optionRows.filter(({ group }) => group === title),
    })),
    defaults: optionRows.flatMap(({ byDefault = [] }) => byDefault),
    examples: [
      'subscribe project 123-456-789',
      'subscribe project 123-456-789 only added,deleted in "Plans/Level 1"',
      'subscribe project 123-456-789 digest daily 09:00 weekdays except deleted',
      'subscribe session 123-456-789 not by dana@example.com threads',
    ],
  },
  unsubscribe: {
    description: 'Remove a subscription from this channel.',
    forms: [
      { usage: 'unsubscribe', description: 'Shows this channel’s list with a Remove button each.' },
      ...kinds.map((kind) => ({
        usage: `unsubscribe ${kindUsage(kind)}`,
        description: `Removes the subscription to this ${kind.word}.`,
      })),
      {
        usage: 'unsubscribe 123-456-789',
        description: 'Removes the project or session with this id.',
      },
      { usage: 'unsubscribe all', description: 'Removes all subscriptions here, after asking.' },
    ],
    examples: ['unsubscribe project 123-456-789', 'unsubscribe all'],
  },
  subscriptions: {
    description: 'Show this channel’s subscriptions: what, who, filters, health and last activity.',
    forms: [{ usage: 'subscriptions', description: 'Shows the list.' }],
    examples: ['subscriptions'],
  },
  help: {
    description: 'List all commands.',
    forms: [
      { usage: 'help', description: 'Shows all commands.' },
      { usage: 'help VERB', description: 'Shows one of them in full.' },
    ],
    examples: ['help', 'help subscribe'],
  },
  link: {
    description: 'Link your account, or see which account is linked.',
    forms: [
      { usage: 'link', description: 'Starts linking, or offers to replace your current link.' },
      { usage: 'link CODE', description: 'Finishes linking with the code shown in the browser.' },
    ],
    examples: ['link', 'link ABC234'],
  },
  mute: {
    description: 'Post nothing here for a while, then one summary.',
    forms: [{ usage: 'mute 2h', description: 'For that long: minutes (30m), hours (2h) or days (1d).' }],
    examples: ['mute 2h', 'mute 1d'],
  },
  recap: {
    description: 'List what changed here, for your eyes only: by project and person, or of one item.',
    forms: [
      { usage: 'recap', description: 'Since yesterday at 0:00.' },
      { usage: 'recap today', description: 'Also: since monday, 3 days. At most 7 days back.' },
      {
        usage: 'recap NAME',
        description: 'One item’s changes, by its current or an earlier name, or a link.',
      },
    ],
    examples: ['recap', 'recap since monday', 'recap A-101.pdf'],
  },
  quiet: {
    description: 'Post nothing here at certain hours, then one summary.',
    forms: [
      { usage: 'quiet 18:00-7:00', description: 'Every day, in your time zone.' },
      { usage: 'quiet 18:00-7:00 weekends', description: 'And all of Saturday and Sunday.' },
      { usage: 'quiet 18:00-7:00 except deleted', description: 'Post these events right away all the same.' },
      { usage: 'quiet off', description: 'Turns quiet hours off.' },
    ],
    examples: ['quiet 18:00-7:00 weekends', 'quiet off'],
  },
};

function rowOf(word: Verb): VerbRow {
  if (!isBareVerb(word)) return rowsWithArguments[word];
  const { description, usage } = bareVerbRow(word);
  return { description, forms: [{ usage: word, description: usage }], examples: [word] };
}

/** Returns the help on one verb, or on all of them in order. Usage lines and examples use `names`. */
export function helpEntries(topic?: Verb | undefined, names: CommandNames = defaultNames): HelpEntry[] {
  return (topic === undefined ? verbs : [topic]).map((word) => {
    const { forms, examples, options = [], defaults = [], description } = rowOf(word);
    return {
      topic: word,
      title: commandLine(word, names),
      description,
      forms: forms.map((form) => ({ ...form, usage: commandLine(form.usage, names) })),
      options,
      defaults,
      examples: examples.map((example) => commandLine(example, names)),
    };
  });
}
