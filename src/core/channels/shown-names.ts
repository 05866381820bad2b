import { actorOf } from '../../messages/activity/deeds.ts';
import type { Channels } from '../../store/tables/channels.ts';
import { someone } from '../model/change.ts';
import { namesOf } from '../model/names-of.ts';
import type { Channel, ProfileOf } from '../model/people.ts';
import { shortPattern } from '../model/short-pattern.ts';
import type { Filters } from '../model/subscription.ts';
import { makePresentChanges, type PresentChanges, type PresentChangesDeps } from './present-changes.ts';

type ShownNamesDeps = {
  readonly channels: Pick<Channels, 'of'>;
  readonly profileOf: ProfileOf;
  readonly nameOf: PresentChangesDeps['nameOf'];
};

/** Chooses how people and paths are shown in a channel. */
export type ShownNames = {
  /** Whether names and paths must be shortened, because people of another organization can read the channel. */
  readonly isDiscreet: (channel: Channel) => Promise<boolean>;
  /** Returns what to show for each person, email address and path of a filter, if it is not the value itself. */
  readonly namesIn: (channel: Channel, filters: Filters) => Promise<ReadonlyMap<string, string>>;
  /** Returns the name to show in a channel for the person at the service with this email address. */
  readonly actorNameIn: (channel: Channel, email: string) => Promise<string>;
  readonly presentChanges: PresentChanges;
};

export function makeShownNames({ channels, profileOf, nameOf }: ShownNamesDeps): ShownNames {
  async function isDiscreet(channel: Channel): Promise<boolean> {
    const { isShared, showsAll } = await channels.of(channel);
    return isShared && !showsAll;
  }

  async function namesIn(channel: Channel, filters: Filters): Promise<ReadonlyMap<string, string>> {
    const ids = [...filters.by, ...filters.notBy].flatMap((who) => ('userId' in who ? [who.userId] : []));
    const found = await namesOf(
      profileOf,
      ids.map((userId) => ({ ...channel, userId })),
    );
    const hidden = (await isDiscreet(channel)) ? await hiddenIn(channel, filters) : [];
    return new Map([...found, ...hidden]);
  }

  /** Returns what replaces email addresses and paths if people of another organization can read the channel. */
  async function hiddenIn(channel: Channel, { by, notBy, paths }: Filters) {
    const emails = [...by, ...notBy].flatMap((who) => ('email' in who ? [who.email] : []));
    const named = emails.map(async (email) => [email, (await nameOf(channel, email)) ?? someone] as const);
    const short = paths.map((path) => [path, shortPattern(path)] as const);
    return [...(await Promise.all(named)), ...short];
  }

  async function actorNameIn(channel: Channel, email: string): Promise<string> {
    const [name, discreet] = await Promise.all([nameOf(channel, email), isDiscreet(channel)]);
    return actorOf({ actorName: name ?? (discreet ? someone : null), actorEmail: email });
  }

  return {
    isDiscreet,
    namesIn,
    actorNameIn,
    presentChanges: makePresentChanges({ nameOf, isDiscreet, linkTo: () => null }),
  };
}
