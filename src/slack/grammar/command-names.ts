import { type Command, type CommandNames, commands } from '../../core/model/verbs.ts';

/** Returns the names of all commands as verbs of the branded command, which every manifest includes. */
export function brandedNames(plancast: string): CommandNames {
  return namesWith(`${plancast} `, plancast);
}

function namesWith(prefix: string, plancast: string): CommandNames {
  return {
    subscribe: `${prefix}subscribe`,
    unsubscribe: `${prefix}unsubscribe`,
    subscriptions: `${prefix}subscriptions`,
    plancast,
  };
}

/**
 * Reads Slack's `command` field: which command it is, and how the other commands are typed next to it. For `/studio-subscribe` these are
 * `subscribe` and `/studio-unsubscribe` and so on. Null if the command is not ours.
 */
export function readCommandName(command: string): { command: Command; names: CommandNames } | null {
  if (command === '/plancast') return { command: 'plancast', names: brandedNames(command) };
  const [, prefix, short] =
    /^\/([a-z0-9_-]{0,32}?)(unsubscribe|subscribe|subscriptions)$/.exec(command) ?? [];
  const known = commands.find((name) => name === short);
  if (prefix === undefined || known === undefined) return null;
  return { command: known, names: namesWith(`/${prefix}`, '/plancast') };
}

/**
 * Returns the names of all commands, given how the subscribe command is typed: `/studio-subscribe`, or `/plancast subscribe` where the
 * manifest leaves the short ones out. Null if the manifest cannot give it that name.
 */
export function namesBeside(subscribe: string): CommandNames | null {
  const branded = brandedNames('/plancast');
  if (subscribe === branded.subscribe) return branded;
  const read = readCommandName(subscribe);
  return read?.command === 'subscribe' ? read.names : null;
}
