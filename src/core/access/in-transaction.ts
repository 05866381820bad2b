import type { Message } from '../../messages/text/message.ts';
import type { Announcements } from '../../store/tables/announcements.ts';
import type { Channels } from '../../store/tables/channels.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Exclusions } from '../../store/tables/exclusions.ts';
import type { Lanes } from '../../store/tables/lanes.ts';
import type { Requests } from '../../store/tables/requests.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Channel } from '../model/people.ts';
import type { WriteAudit } from './write-audit.ts';

/** Tables that take part in one transaction. */
export type TransactionTables = {
  readonly announcements: Pick<Announcements, 'withdraw'>;
  readonly channels: Channels;
  readonly lanes: Pick<Lanes, 'mute' | 'endMute' | 'reopen' | 'pause'>;
  readonly subscriptions: Pick<
    Subscriptions,
    'ofChannel' | 'pause' | 'pauseInstead' | 'resume' | 'setUpAgain' | 'end'
  >;
  readonly events: Pick<Events, 'dropEnded' | 'hold' | 'releaseHeld'>;
  readonly exclusions: Pick<Exclusions, 'add' | 'end'>;
  readonly requests: Pick<Requests, 'answer'>;
  readonly audit: WriteAudit;
  /** Adds an announcement. With a `subject`, it replaces a pending one on the same subject. */
  readonly announce: (channel: Channel, message: Message, subject?: string) => Promise<void>;
  /** Signals lanes that events or announcements are pending in them. */
  readonly enqueue: (lanes: readonly Channel[]) => Promise<void>;
};

/** Runs work in one transaction, so a change and its announcement are both stored or neither is. */
export type InTransaction = <T>(work: (tables: TransactionTables) => Promise<T>) => Promise<T>;
