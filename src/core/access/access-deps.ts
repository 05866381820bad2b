import type { DirectMessages } from '../../store/tables/direct-messages.ts';
import type { Requests } from '../../store/tables/requests.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Bot } from '../bot.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf } from '../model/people.ts';
import type { AdminsOf, DirectMessage, IsAdmin, IsInChannel, OpenForm } from '../slack.ts';
import type { InTransaction } from './in-transaction.ts';

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type AccessRoomDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
  readonly directMessages: Pick<DirectMessages, 'of'>;
  readonly requests: Pick<Requests, 'offer' | 'isAllowed'>;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly isAdmin: IsAdmin;
  readonly adminsOf: AdminsOf;
  readonly isInChannel: IsInChannel;
  readonly profileOf: ProfileOf;
  readonly directMessage: DirectMessage;
  readonly openForm: OpenForm;
};
