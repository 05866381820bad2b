/** Groups of options, named as in the form and in the order of help. */
export const optionGroups = ['Events', 'Delivery', 'More options'] as const;

type OptionRow = {
  readonly group: (typeof optionGroups)[number];
  /** A typical use, for help. An option that only adds to another is shown after it: `digest daily 09:00 weekdays`. */
  readonly usage: string;
  /** What resets it to its default, since omitting an option keeps its current value. */
  readonly byDefault?: string;
  readonly description: string;
};

/** The options of a subscription, which may stand anywhere in the line, in the order of help. */
export const optionRows: readonly OptionRow[] = [
  {
    group: 'More options',
    usage: 'itself',
    description:
      'The project, folder or session without its contents. New versions of a file may not be reported.',
  },
  {
    group: 'Events',
    usage: 'only added,changed,deleted',
    byDefault: 'only all',
    description: 'Only these events.',
  },
  {
    group: 'Events',
    usage: 'in "Plans/Level 1" "!Archive"',
    byDefault: 'in anywhere',
    description: 'Only changes in these folders. ! excludes one.',
  },
  {
    group: 'Events',
    usage: 'by dana@example.com @dana',
    byDefault: 'by anyone',
    description: 'Only changes by these people.',
  },
  {
    group: 'Events',
    usage: 'not by dana@example.com @dana',
    byDefault: 'not by nobody',
    description: 'Ignore changes by these people.',
  },
  {
    group: 'Delivery',
    usage: 'digest daily 09:00',
    byDefault: 'digest off',
    description: 'One summary a day, in your time zone or (Europe/London). Or digest hourly.',
  },
  {
    group: 'Delivery',
    usage: 'digest weekly friday 16:30',
    description: 'One summary a week, on Monday at 09:00 unless you say otherwise.',
  },
  {
    group: 'Delivery',
    usage: 'digest daily 09:00 weekdays',
    description: 'No summary on Saturday and Sunday.',
  },
  {
    group: 'Delivery',
    usage: 'digest hourly except deleted',
    description: 'Post these events right away, the rest in the digest.',
  },
  {
    group: 'Delivery',
    usage: 'live',
    description: 'Post changes as they happen. The default.',
  },
  {
    group: 'More options',
    usage: 'threads',
    byDefault: 'threads off',
    description: 'Group later changes to an item in its thread.',
  },
  {
    group: 'More options',
    usage: 'ping @sam on deleted',
    byDefault: 'ping off',
    description: 'Mention a person or user group in new messages about these events.',
  },
  {
    group: 'More options',
    usage: 'as "Harbour Tower"',
    description: 'The name to show until the service sends one.',
  },
];
