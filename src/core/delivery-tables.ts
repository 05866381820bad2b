import type { Message } from '../messages/message.ts';
import type { Announcements } from '../store/announcements.ts';
import type { Events } from '../store/events.ts';
import type { Items } from '../store/items.ts';
import type { TakenLane as TakenLaneOf } from '../store/lane-queue.ts';
import type { Lanes } from '../store/lanes.ts';
import type { Paces } from '../store/paces.ts';
import type { Subscriptions } from '../store/subscriptions.ts';

/** A lane that was taken for one turn. */
export type TakenLane = TakenLaneOf<Message>;

/** The tables that a turn of a lane asks beside the queue itself. */
export type DeliveryTables = {
  readonly announcements: Pick<Announcements<Message>, 'withdraw'>;
  readonly events: Events;
  readonly items: Items;
  readonly lanes: Lanes;
  readonly paces: Paces;
  readonly subscriptions: Subscriptions;
};

/** Runs its work in one transaction, over tables that take part in it. */
export type TransactDelivery = <T>(work: (tables: DeliveryTables) => Promise<T>) => Promise<T>;
