import type { Command, CommandNames } from '../../core/model/commands.ts';

/** All verbs behind the branded command, which is there under every manifest. */
export function brandedNames(plancast: string): CommandNames {
  return {
    subscribe: `${plancast} subscribe`,
    unsubscribe: `${plancast} unsubscribe`,
    subscriptions: `${plancast} subscriptions`,
    plancast,
  };
}

/**
 * Which command Slack's `command` field is, and how the others are then typed: `/studio-subscribe` is `subscribe`, and its
 * neighbours are `/studio-unsubscribe` and so on. Null for a command that is none of ours.
 */
export function readCommandName(command: string): { command: Command; names: CommandNames } | null {
  if (command === '/plancast') return { command: 'plancast', names: brandedNames(command) };
  const [, prefix, short] =
    /^\/([a-z0-9_-]{0,32}?)(unsubscribe|subscribe|subscriptions)$/.exec(command) ?? [];
  if (prefix === undefined || !isShort(short)) return null;
  const names = {
    subscribe: `/${prefix}subscribe`,
    unsubscribe: `/${prefix}unsubscribe`,
    subscriptions: `/${prefix}subscriptions`,
    plancast: '/plancast',
  };
  return { command: short, names };
}

function isShort(short: string | undefined): short is Exclude<Command, 'plancast'> {
  return short === 'subscribe' || short === 'unsubscribe' || short === 'subscriptions';
}
