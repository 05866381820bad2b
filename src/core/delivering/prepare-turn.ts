import { earlier } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { TakenLaneOf } from '../../store/tables/taken-lane.ts';
import type { PresentChanges } from '../channels/present-changes.ts';
import { rememberedKeys } from '../model/item-keys.ts';
import type { Channel, Workspace } from '../model/people.ts';
import type { PersonName } from '../model/subscription.ts';
import { makeDuplicateDetector } from './duplicate-detector.ts';
import { type Broken, gather, staleMs } from './gather-turn.ts';
import type { Turn } from './turn.ts';

export type PrepareTurn = (
  taken: Pick<TakenLaneOf<unknown>, 'lane' | 'items' | 'hasDuplicates' | 'isDiscreet' | 'excluded'>,
  waiting: readonly WaitingEvent[],
  now: Date,
) => Promise<Turn>;

export type PrepareTurnDeps = {
  /** Looks up what is remembered of items that did not come with the lane. */
  readonly loadItems: (lane: Channel, keys: readonly string[]) => Promise<Map<string, KnownItem>>;
  readonly duplicates: (lane: Channel, fingerprints: readonly string[], since: Date) => Promise<Duplicate[]>;
  readonly presentChanges: PresentChanges;
  /** The addresses under which somebody in Slack is known to the service, in lower case. */
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
  readonly log: Pick<Log, 'warn'>;
};

/** Works out what of the waiting events is to be said. Reads, and changes nothing. */
export function makePrepareTurn(deps: PrepareTurnDeps): PrepareTurn {
  return async ({ lane, items, hasDuplicates, isDiscreet, excluded }, all, now) => {
    const broken: Broken[] = [];
    const waiting = readable(all, broken);
    const [known, duplicates, emails] = await Promise.all([
      items ??
        deps.loadItems(
          lane,
          waiting.flatMap(({ notification }) => rememberedKeys(notification)),
        ),
      hasDuplicates
        ? deps.duplicates(
            lane,
            waiting.map(({ fingerprint }) => fingerprint),
            earlier(now, staleMs),
          )
        : [],
      emailsOfNamed(lane, waiting),
    ]);
    const isPerson = (email: string, person: PersonName) =>
      'email' in person
        ? person.email.toLowerCase() === email
        : (emails.get(person.userId)?.includes(email) ?? false);
    const turn = await gather(waiting, {
      known,
      isDuplicate: makeDuplicateDetector(duplicates),
      isPerson,
      excluded,
      now,
      broken,
    });
    for (const { event, error } of broken) {
      const { seq, subscription } = event;
      const fields = {
        err: error,
        seq,
        team: lane.teamId,
        channel: lane.channelId,
        subscription: subscription.id,
      };
      deps.log.warn(fields, 'dead letter: an event cannot be read');
    }
    const unreadable = broken.map(({ event }) => event.seq);
    return {
      ...turn,
      broken: new Map(unreadable.length > 0 ? [[ownFaults.unreadable, unreadable]] : []),
      changes: await deps.presentChanges(lane, turn.changes, isDiscreet),
    };
  };

  async function emailsOfNamed(lane: Channel, waiting: readonly WaitingEvent[]) {
    const userIds = new Set(waiting.flatMap(namedIn));
    const found = [...userIds].map(async (id) => [id, await deps.emailsOf(lane, id)] as const);
    return new Map(await Promise.all(found));
  }
}

/** Sets apart what nothing can even be looked up for. */
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

/** The people in Slack that an event's filters name. */
function namedIn({ subscription: { filters } }: WaitingEvent): string[] {
  return [...filters.by, ...filters.notBy].flatMap((person) => ('userId' in person ? [person.userId] : []));
}
