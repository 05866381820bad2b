import type { Log } from '../../lib/log.ts';
import type { CommandTries } from '../../store/tables/command-tries.ts';
import type { Requests } from '../../store/tables/requests.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { InTransaction } from '../access/in-transaction.ts';
import type { Bot } from '../bot.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf, SlackPerson } from '../model/people.ts';
import type { BareVerb, Verb } from '../model/verbs.ts';
import type { AdminsOf, DirectMessage } from '../slack.ts';

/** What this room needs from outside. */
export type RequestsRoomDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly commandTries: Pick<CommandTries, 'take'>;
  readonly requests: Pick<Requests, 'offered' | 'waiting' | 'ask' | 'takeBack' | 'ofWorkspace'>;
  readonly subscriptions: Pick<Subscriptions, 'ofWorkspace'>;
  readonly profileOf: ProfileOf;
  /** Returns the profile of a few seconds ago at most, so a person who is made a guest loses their rights at once. */
  readonly currentProfileOf: ProfileOf;
  readonly adminsOf: AdminsOf;
  readonly isShared: Bot['slack']['isShared'];
  readonly directMessage: DirectMessage;
  /** Returns a context for a person who is not active now; replies reach them by direct message. */
  readonly askedBy: (person: SlackPerson, channelId: string) => CommandContext;
  /** Shows how commands are typed: all of them briefly, or one verb in detail. */
  readonly showHelp: (context: CommandContext, topic: Verb | undefined) => Promise<void>;
  /** The handlers of verbs without arguments, each provided by its room. */
  readonly bareVerbs: Readonly<Record<BareVerb, (context: CommandContext) => Promise<void>>>;
  readonly inTransaction: InTransaction;
  readonly log: Pick<Log, 'warn'>;
};
