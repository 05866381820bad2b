import type { Message } from '../../messages/text/message.ts';
import type { CommandNames } from '../model/commands.ts';
import type { SlackPerson } from '../model/people.ts';

/** Who asked for something in which conversation, and where the private answer goes. */
export type CommandContext = {
  readonly person: SlackPerson;
  readonly channelId: string;
  /** Set where it was not asked in that channel itself, but in a direct message, a form or the Home tab: Slack then has to say that they are in it. */
  readonly elsewhere?: boolean | undefined;
  /** Slack takes answers there for 30 minutes; null where nothing was given. */
  readonly responseUrl: string | null;
  /** Lets one form be opened, within three seconds (Slack); none where nothing was typed or clicked just now. */
  readonly triggerId?: string | null | undefined;
  /** The shortest line that asks for the same, where it came from a form, whose request names every default. */
  readonly asTyped?: string | undefined;
  /** How the commands are typed in this workspace. */
  readonly names: CommandNames;
  /** The same person's request, for another conversation than the one it was typed in. */
  readonly about: (channelId: string) => CommandContext;
  /** Answers privately. `replace`: in the place of the question that was just answered by a click. */
  readonly reply: (message: Message, options?: { readonly replace?: boolean | undefined }) => Promise<void>;
};
