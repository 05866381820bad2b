import type { Message } from '../messages/message.ts';
import type { Events } from '../store/events.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Channel } from './people.ts';

/** Runs its work in one transaction: a change and what the channel is told of it are both there, or neither is. */
export type Together = <T>(
  work: (tables: {
    readonly subscriptions: Pick<Subscriptions, 'pause' | 'pauseInstead' | 'resume' | 'end'>;
    readonly events: Pick<Events, 'letGo'>;
    readonly announce: (channel: Channel, message: Message) => Promise<void>;
  }) => Promise<T>,
) => Promise<T>;
