import { type Change, someone } from '../model/change.ts';
import type { Channel, Workspace } from '../model/people.ts';

export type PresentChangesDeps = {
  /** Returns the name to show for an email address of the service, if Slack knows one. */
  readonly nameOf: (workspace: Workspace, email: string) => Promise<string | null>;
  /** Returns the URL that opens what a change is about; null if it is unknown. */
  readonly linkTo: (change: Change) => string | null;
  readonly isDiscreet: (channel: Channel) => Promise<boolean>;
};

/**
 * Returns changes as the people of a channel are allowed to see them; null stays null.
 * @param discreet whether people of another organization can read the channel, if already known; otherwise it is looked up
 */
export type PresentChanges = <Known extends Change | null>(
  channel: Channel,
  changes: readonly Known[],
  discreet?: boolean,
) => Promise<Known[]>;

/**
 * Uses the names that Slack knows for people, looking each address up once, and adds links if the admin configured them. If people of
 * another organization can read the channel, no address, full path or link is shown.
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

/** Keeps the email address, by which changes are grouped. It is not shown, because `actorName` is always set. */
function discreetly<Known extends Change>(change: Known): Known {
  return {
    ...change,
    actorName: change.actorName ?? someone,
    folder: lastOnly(change.folder),
    previousFolder: lastOnly(change.previousFolder),
  };
}

/** Returns only the folder's own name, without its parent folders. */
export function lastOnly(folder: Change['folder']): Change['folder'] {
  return folder?.slice(-1) ?? null;
}
