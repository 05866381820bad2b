import type { Message } from '../messages/message.ts';
import type { Announcements } from '../store/announcements.ts';
import type { Channels } from '../store/channels.ts';
import type { Events } from '../store/events.ts';
import type { Lanes } from '../store/lanes.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Channel } from './people.ts';

/** Tables that take part in one transaction. */
export type InTransaction = {
  readonly announcements: Pick<Announcements<Message>, 'withdraw'>;
  readonly channels: Channels;
  readonly lanes: Pick<Lanes, 'mute' | 'reopen' | 'shut'>;
  readonly subscriptions: Pick<Subscriptions, 'ofChannel' | 'pause' | 'pauseInstead' | 'resume' | 'end'>;
  readonly events: Pick<Events, 'dropEnded' | 'hold' | 'letGo'>;
  /** With a `subject`, it takes the place of one about it that still waits. */
  readonly announce: (channel: Channel, message: Message, subject?: string) => Promise<void>;
};

/** Runs its work in one transaction: a change and its announcement are both there, or neither is. */
export type Together = <T>(work: (tables: InTransaction) => Promise<T>) => Promise<T>;
