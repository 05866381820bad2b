import type { Command } from '../../core/model/commands.ts';

/** The slash commands, by name without the slash; each says which verb of the grammar it begins with. */
export const commandTable = {
  subscribe: 'subscribe',
  unsubscribe: 'unsubscribe',
  subscriptions: 'subscriptions',
  plancast: 'plancast',
} as const satisfies Record<string, Command>;
