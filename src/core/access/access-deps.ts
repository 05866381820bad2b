import type { Message } from '../../messages/text/message.ts';
import type { DirectMessages } from '../../store/tables/direct-messages.ts';
import type { Requests } from '../../store/tables/requests.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf, SlackPerson } from '../model/people.ts';
import type { OpenForm } from './forms.ts';
import type { InTransaction } from './in-transaction.ts';
import type { AdminsOf, IsAdmin, IsInChannel } from './slack-facts.ts';

/**
 * Sends a person a message that only they see, and stores the conversation's id in Slack's answer. Throws `DirectMessageRefused` if another
 * try would fail as well, and other errors if Slack cannot be reached.
 */
export type DirectMessage = (person: SlackPerson, message: Message) => Promise<void>;

/** Slack accepts no direct message of the bot to this person, or not this message. `reason` is Slack's name for the error. */
export class DirectMessageRefused extends Error {
  override readonly name = 'DirectMessageRefused';
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super('Slack refused a direct message', options);
    this.reason = reason;
  }
}

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type AccessRoomDeps = {
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
  readonly directMessages: Pick<DirectMessages, 'of'>;
  readonly requests: Pick<Requests, 'offer' | 'isAllowed'>;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly isAdmin: IsAdmin;
  readonly adminsOf: AdminsOf;
  readonly isInChannel: IsInChannel;
  readonly profileOf: ProfileOf;
  /** Returns the workspace under which a channel of an organization was subscribed first; null if it is not subscribed. */
  readonly firstTeamOf: (enterpriseId: string, channelId: string) => Promise<string | null>;
  /** Returns whether a workspace has an installation of its own, besides its organization's. */
  readonly isInstalled: (teamId: string) => Promise<boolean>;
  readonly directMessage: DirectMessage;
  readonly openForm: OpenForm;
};
