import type { Message } from '../../messages/text/message.ts';
import type { Announcements } from '../../store/tables/announcements.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Items } from '../../store/tables/items.ts';
import type { Lanes } from '../../store/tables/lanes.ts';
import type { Paces } from '../../store/tables/paces.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { TakenLane } from '../../store/tables/taken-lane.ts';
import type { UndoOffers } from '../../store/tables/undo-offers.ts';

/** A lane that was claimed for one turn. */
export type ClaimedLane = TakenLane<Message>;

/** The tables that a turn uses besides the queue itself. */
export type DeliveryTables = {
  readonly announcements: Pick<Announcements, 'add' | 'withdraw'>;
  readonly events: Events;
  readonly items: Items;
  readonly lanes: Lanes;
  readonly paces: Paces;
  readonly subscriptions: Subscriptions;
  readonly undoOffers: Pick<UndoOffers, 'add'>;
};

/** Runs work in one transaction, with tables that take part in it. */
export type TransactDelivery = <T>(work: (tables: DeliveryTables) => Promise<T>) => Promise<T>;
