/** The slash commands. The last one reaches every verb, because `/subscribe` may belong to another app in a workspace. */
export const commands = ['subscribe', 'unsubscribe', 'subscriptions', 'plancast'] as const;
export type Command = (typeof commands)[number];

/** How each command is typed in this workspace, with its slash: `/studio-subscribe`, or `/plancast subscribe`. */
export type CommandNames = Readonly<Record<Command, string>>;

export const defaultNames: CommandNames = {
  subscribe: '/subscribe',
  unsubscribe: '/unsubscribe',
  subscriptions: '/subscriptions',
  plancast: '/plancast',
};

/**
 * Formats the words after `/plancast` as the command to type in this workspace: `subscribe project 123-456-789` becomes `/subscribe
 * project 123-456-789`, and `mute 2h` becomes `/plancast mute 2h`.
 */
export function commandLine(words: string, names: CommandNames): string {
  const space = words.indexOf(' ');
  const verb = space === -1 ? words : words.slice(0, space);
  if (verb === 'subscribe' || verb === 'unsubscribe' || verb === 'subscriptions') {
    return names[verb] + words.slice(verb.length);
  }
  return `${names.plancast} ${words}`;
}
