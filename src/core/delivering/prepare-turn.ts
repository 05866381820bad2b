import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { earlier, later } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem, LearnedItem, UnknownItem } from '../../store/tables/items.ts';
import type { TakenLane } from '../../store/tables/taken-lane.ts';
import { presentChanges } from '../access/present-changes.ts';
import type { Bot } from '../bot.ts';
import { knowPeople } from '../model/filters.ts';
import { itemKey, rememberedKeys } from '../model/item-keys.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { isOfOutage, type Outage } from '../model/outage.ts';
import type { Channel, Workspace } from '../model/people.ts';
import { allFilters } from './all-filters.ts';
import { makeDuplicateDetector } from './duplicate-detector.ts';
import { type Broken, gather, staleMs } from './gather-turn.ts';
import type { Turn } from './turn.ts';

export type PrepareTurn = (
  taken: Pick<TakenLane<unknown>, 'lane' | 'at' | 'items' | 'hasDuplicates' | 'discreet' | 'excluded'>,
  waiting: readonly WaitingEvent[],
  now: Date,
) => Promise<Turn>;

type PrepareTurnDeps = {
  /** Loads what is remembered of items that were not loaded with the lane. */
  readonly loadItems: (lane: Channel, keys: readonly string[]) => Promise<Map<string, KnownItem>>;
  /** Looks up what other channels remember about items that are new to this one. */
  readonly learned: (lane: Channel, unknown: readonly UnknownItem[]) => Promise<Map<string, LearnedItem>>;
  /** Returns the last period in which no process was running. */
  readonly lastOutage: () => Outage | null;
  readonly duplicates: (lane: Channel, fingerprints: readonly string[], since: Date) => Promise<Duplicate[]>;
  readonly bot: Bot;
  /** How much processor time this process has used, in milliseconds. */
  readonly processorMs: () => number;
  /** Returns the email addresses, in lower case, under which the service knows a person in Slack. */
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
  readonly log: Pick<Log, 'warn'>;
};

/** How long a turn goes through its events, in milliseconds: of processor time, and after its lane was taken, while the claim is valid. */
const gathersMs = { processor: 1_500, afterTake: 8_000 };

/** Works out what to post of the pending events, as far as time allows. Changes nothing. */
export function makePrepareTurn(deps: PrepareTurnDeps): PrepareTurn {
  /** Turns come back from it one by one, each in a round of the event loop of its own, so that many leave room for others. */
  let round: Promise<unknown> = Promise.resolve();
  return async ({ lane, at, items, hasDuplicates, discreet, excluded }, all, now) => {
    const end = later(at, gathersMs.afterTake);
    let leftMs = gathersMs.processor;
    const rest = async (ms: number): Promise<boolean> => {
      leftMs -= ms;
      round = round.then(() => eventLoopTurn());
      await round;
      return leftMs > 0 && deps.bot.clock.now() < end;
    };
    const broken: Broken[] = [];
    const outage = deps.lastOutage();
    const waiting = readable(all, broken).map((event) => inOutage(event, outage, now));
    const [{ known, learned }, duplicates, isPerson] = await Promise.all([
      knownOf(lane, items, waiting),
      hasDuplicates
        ? deps.duplicates(
            lane,
            waiting.map(({ fingerprint }) => fingerprint),
            earlier(now, staleMs),
          )
        : [],
      knowPeople(waiting.flatMap(namedIn), (userId) => deps.emailsOf(lane, userId)),
    ]);
    const turn = await gather(waiting, {
      known,
      learned,
      outage,
      isDuplicate: makeDuplicateDetector(duplicates),
      isPerson,
      excluded,
      now,
      broken,
      pace: { now: deps.processorMs, rest },
    });
    for (const { event, error } of broken) {
      const fields = { ...subscriptionFields({ ...event.subscription, ...lane }), events: event.seq };
      deps.log.warn({ err: error, ...fields }, 'dead letter: an event cannot be read');
    }
    const unreadable = broken.map(({ event }) => event.seq);
    return {
      ...turn,
      broken: new Map(unreadable.length > 0 ? [[ownFaults.unreadable, unreadable]] : []),
      changes: await presentChanges(deps.bot, lane, turn.changes, { discreet, linked: true }),
    };
  };

  async function knownOf(
    lane: Channel,
    items: TakenLane<unknown>['items'],
    waiting: readonly WaitingEvent[],
  ): Promise<{ known: ReadonlyMap<string, KnownItem>; learned: ReadonlyMap<string, LearnedItem> }> {
    const keys = () => waiting.flatMap(({ notification }) => rememberedKeys(notification));
    const known = items ?? (await deps.loadItems(lane, keys()));
    const unknown = waiting.flatMap((event) => unknownItem(event, known));
    if (unknown.length === 0) return { known, learned: new Map() };
    const learned = await deps.learned(lane, unknown.slice(0, unknownMost)).catch((error: unknown) => {
      // Never fail a message because a previous name is missing: without it the message only says less.
      deps.log.warn(
        { err: error, team: lane.teamId, channel: lane.channelId },
        'could not look up previous names of items',
      );
      return new Map();
    });
    return { known, learned };
  }
}

/** Items looked up in other channels in one turn. To find a folder's name, the paths known to all channels of its owner are read. */
const unknownMost = 50;

/** Returns the item of an update whose previous state the channel does not know. */
function unknownItem(
  { notification, subscription }: WaitingEvent,
  known: ReadonlyMap<string, KnownItem>,
): UnknownItem[] {
  const key = itemKey(notification);
  if (key === null || known.has(key) || notification.eventType !== 'Update') return [];
  const { itemId, itemType, projectId } = notification;
  const isFolder = itemType === 'folder' && itemId !== null;
  const folder = isFolder ? { id: itemId, keyPrefix: `${notification.resourceType}:${projectId}:` } : null;
  return [{ key, ownerUserId: subscription.ownerUserId, folder }];
}

/** Marks an event that belongs to an outage, to be posted in a summary that says so. */
function inOutage(event: WaitingEvent, outage: Outage | null, now: Date): WaitingEvent {
  const { summary, replayed, receivedAt, notification } = event;
  if (summary !== null || replayed === true) return event;
  const happenedAt = notification.happenedAt === null ? null : new Date(notification.happenedAt);
  return isOfOutage(outage, { receivedAt, happenedAt }, now) ? { ...event, summary: 'down' } : event;
}

/** Moves events whose keys or names cannot even be looked up to `broken`. Returns the others. */
function readable(all: readonly WaitingEvent[], broken: Broken[]): WaitingEvent[] {
  return all.filter((event) => {
    try {
      rememberedKeys(event.notification);
      namedIn(event);
      return true;
    } catch (error) {
      broken.push({ event, error });
      return false;
    }
  });
}

/** Returns the ids of the Slack users that an event's filters name. */
function namedIn({ subscription }: WaitingEvent): string[] {
  const people = allFilters(subscription).flatMap(({ by, notBy }) => [...by, ...notBy]);
  return people.flatMap((person) => ('userId' in person ? [person.userId] : []));
}
