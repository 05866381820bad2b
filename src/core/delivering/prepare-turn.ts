import { earlier, later } from '../../lib/durations.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import * as events from '../../store/tables/events.ts';
import type { KnownItem, LearnedItem, UnknownItem } from '../../store/tables/items.ts';
import * as items from '../../store/tables/items.ts';
import type { TakenLane } from '../../store/tables/taken-lane.ts';
import { emailsOf, presentChanges } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { makeIsPerson, makePathPasses, usersIn } from '../model/filters.ts';
import { itemKey, rememberedKeys } from '../model/items.ts';
import { type LaneCard, mayBeJoined } from '../model/lane-card.ts';
import type { Channel } from '../model/people.ts';
import { type Broken, gather, staleMs } from './gather-turn.ts';
import { allowedPings } from './pings.ts';
import { deadMark, type Turn } from './turn.ts';
import { sameChangeMs } from './what-changed.ts';

/** How long a turn goes through its events, in milliseconds: of processor time, and after its lane was taken, while the claim is valid. */
const gathersMs = { processor: 1_500, afterTake: 8_000 };

type PreparedLane = Pick<
  TakenLane<unknown>,
  'lane' | 'at' | 'items' | 'hasDuplicates' | 'discreet' | 'excluded' | 'card' | 'bytes'
>;

const namedIn = ({ subscription }: WaitingEvent): string[] => usersIn(subscription.filters);

/** Works out what to post of the pending events, as far as time allows. Changes nothing. `unreadable`: why events are broken. */
export async function prepareTurn(
  bot: Bot,
  { lane, at, items, hasDuplicates, discreet, excluded, card, bytes }: PreparedLane,
  all: readonly WaitingEvent[],
  now: Date,
): Promise<Turn & { readonly unreadable: readonly Broken[] }> {
  const { db, clock } = bot;
  const { processor } = bot.inProcess;
  const end = later(at, gathersMs.afterTake);
  let leftMs = gathersMs.processor;
  const rest = async (ms: number): Promise<boolean> => {
    leftMs -= ms;
    await processor.rest();
    return leftMs > 0 && clock.now() < end;
  };
  const broken: Broken[] = [];
  const waiting = readable(all, broken);
  const fingerprints = waiting.map(({ fingerprint }) => fingerprint);
  const [{ known, learned }, duplicates, isPerson] = await Promise.all([
    knownOf(bot, lane, items, waiting),
    hasDuplicates ? events.duplicates(db, lane, fingerprints, earlier(now, staleMs)) : [],
    makeIsPerson(waiting.flatMap(namedIn), (userId) => emailsOf(bot, lane, userId)),
  ]);
  const byTs = await cardsOf(bot, lane, card, { known, waiting, now });
  const turn = await gather(waiting, {
    known,
    learned,
    isDuplicate: makeDuplicateDetector(duplicates),
    isPerson,
    excluded,
    pathPasses: makePathPasses(),
    now,
    broken,
    cards: { newest: card, byTs, eventBytes: bytes / Math.max(1, all.length) },
    pace: { now: processor.usedMs, rest },
  });
  const said = turn.shown.map(({ change }) => change);
  const changes = await presentChanges(bot, lane, said, { discreet, linked: true });
  return {
    ...turn,
    unreadable: broken,
    others: [...turn.others, ...broken.map(({ event }) => deadMark(event, ownFaults.unreadable))],
    pings: await allowedPings(bot, lane, turn.pings),
    shown: turn.shown.map((each, index) => ({ ...each, change: changes[index] ?? each.change })),
  };
}

/** Returns the messages that the updates among these events may join, by `ts`. */
async function cardsOf(
  { db }: Bot,
  lane: Channel,
  newest: LaneCard | null,
  {
    known,
    waiting,
    now,
  }: {
    readonly known: ReadonlyMap<string, KnownItem>;
    readonly waiting: readonly WaitingEvent[];
    readonly now: Date;
  },
): Promise<Map<string, LaneCard>> {
  const updates = waiting.filter(({ notification }) => notification.eventType === 'Update');
  const times = new Set(
    updates.flatMap(({ notification }) => known.get(itemKey(notification) ?? '')?.messageTs ?? []),
  );
  const recent = [...times].filter((ts) => ts !== newest?.ts && mayBeJoined(ts, now));
  const cards = recent.length === 0 ? [] : await events.cardsOf(db, lane, recent);
  return new Map([...cards, ...(newest ? [newest] : [])].map((card) => [card.ts, card]));
}

/** Returns what is remembered of the events' items in this channel, and in others of those that are new to it. */
async function knownOf(
  { db, log }: Bot,
  lane: Channel,
  loaded: PreparedLane['items'],
  waiting: readonly WaitingEvent[],
): Promise<{ known: ReadonlyMap<string, KnownItem>; learned: ReadonlyMap<string, LearnedItem> }> {
  const keys = () => waiting.flatMap(({ notification }) => rememberedKeys(notification));
  const known = loaded ?? (await items.load(db, lane, keys()));
  const unknown = waiting.flatMap((event) => unknownItem(event, known));
  const learned = await items.learned(db, lane, unknown.slice(0, unknownMost)).catch((error: unknown) => {
    // Never fail a message because a previous name is missing: without it the message only says less.
    const where = { team: lane.teamId, channel: lane.channelId };
    log.warn({ err: error, ...where }, 'could not look up previous names of items');
    return new Map();
  });
  return { known, learned };
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

/** Returns what says whether a change was already posted for another subscription. Each post covers each other subscription only once. */
function makeDuplicateDetector(duplicates: readonly events.Duplicate[]): (event: WaitingEvent) => boolean {
  type Posted = { readonly by: string; readonly at: number; readonly covers: Set<string> };
  const posts = new Map<string, Posted[]>();
  const note = (fingerprint: string, by: string, at: number) => {
    const list = posts.get(fingerprint) ?? [];
    list.push({ by, at, covers: new Set() });
    posts.set(fingerprint, list);
  };
  const cover = (fingerprint: string, source: string, at: number): boolean => {
    const post = posts
      .get(fingerprint)
      ?.find(
        ({ by, at: postedAt, covers }) =>
          by !== source && Math.abs(postedAt - at) <= sameChangeMs && !covers.has(source),
      );
    post?.covers.add(source);
    return post !== undefined;
  };
  for (const duplicate of duplicates)
    if (!duplicate.isDuplicate) note(duplicate.fingerprint, duplicate.source, timeOf(duplicate));
  for (const duplicate of duplicates)
    if (duplicate.isDuplicate) cover(duplicate.fingerprint, duplicate.source, timeOf(duplicate));

  return (event) => {
    const at = timeOf({ happenedAt: event.notification.happenedAt, receivedAt: event.receivedAt });
    if (cover(event.fingerprint, sourceOf(event), at)) return true;
    note(event.fingerprint, sourceOf(event), at);
    return false;
  };
}

/** Returns the remote subscription that sent the event. While a subscription moves to another one, both notify of each change, still one. */
function sourceOf({ notification, subscription }: WaitingEvent): string {
  return notification.serviceSubscriptionId ?? subscription.id;
}

function timeOf({ happenedAt, receivedAt }: { happenedAt: string | null; receivedAt: Date }): number {
  const happened = happenedAt === null ? Number.NaN : Date.parse(happenedAt);
  return Number.isNaN(happened) ? receivedAt.getTime() : happened;
}
