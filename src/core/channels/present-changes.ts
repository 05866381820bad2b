import { type Change, someone } from '../model/change.ts';
import type { Channel, Workspace } from '../model/people.ts';

export type PresentChangesDeps = {
  /** The name to show for an e-mail address of the service, where Slack knows one. */
  readonly nameOf: (workspace: Workspace, email: string) => Promise<string | null>;
  /** Where the thing a change is about can be opened; null where that is not known. */
  readonly linkTo: (change: Change) => string | null;
  readonly isDiscreet: (channel: Channel) => Promise<boolean>;
};

/**
 * Changes as the people of a channel may read them; null stays null.
 * @param isDiscreet whether another organization reads along, where that is known already; otherwise it is looked up
 */
export type PresentChanges = <Known extends Change | null>(
  channel: Channel,
  changes: readonly Known[],
  isDiscreet?: boolean,
) => Promise<Known[]>;

/**
 * Names people as Slack does, where it knows them; each address is looked up once. Things are links where the admin set how.
 * Where another organization reads along, no address, no full path and no link is shown.
 */
export function makePresentChanges({ nameOf, linkTo, isDiscreet }: PresentChangesDeps): PresentChanges {
  return async (channel, changes, known) => {
    if (changes.length === 0) return [];
    const emails = new Set(changes.map((change) => change?.actorEmail).filter((email) => email != null));
    const found = [...emails].map(async (email) => [email, await nameOf(channel, email)] as const);
    const [discreet, names] = await Promise.all([known ?? isDiscreet(channel), Promise.all(found)]);
    const nameByEmail = new Map(names);
    return changes.map((change) => {
      if (change === null) return change;
      const { actorEmail } = change;
      const actorName = actorEmail === null ? null : (nameByEmail.get(actorEmail) ?? null);
      return discreet ? discreetly({ ...change, actorName }) : { ...change, actorName, url: linkTo(change) };
    });
  };
}

/** The address stays in the change, and sets people apart without being shown: a name is shown instead wherever there is one. */
function discreetly<Known extends Change>(change: Known): Known {
  return {
    ...change,
    actorName: change.actorName ?? someone,
    folder: lastOnly(change.folder),
    previousFolder: lastOnly(change.previousFolder),
  };
}

/** A folder by its own name, without those that it is in. */
export function lastOnly(folder: Change['folder']): Change['folder'] {
  return folder?.slice(-1) ?? null;
}

/** A glob of a filter, without the folders above the last one that it names. */
export function shortGlob(glob: string): string {
  const [mark, path] = glob.startsWith('!') ? ['!', glob.slice(1)] : ['', glob];
  const parts = path.split('/').filter((part) => part !== '');
  return parts.length <= 2 ? glob : `${mark}…/${parts.slice(-2).join('/')}`;
}
