import type { Bot } from '../bot.ts';
import { type Change, someone } from '../model/change.ts';
import type { Channel } from '../model/people.ts';
import { urlOf } from '../model/service-urls.ts';
import { isDiscreet } from './shown-names.ts';

type PresentOptions = {
  /** Whether people of another organization can read the channel, if already known; otherwise it is looked up. */
  readonly discreet?: boolean | undefined;
  /** Whether items are links, if the admin configured addresses; false by default. */
  readonly linked?: boolean;
};

/** Slack is asked about so many of the addresses, in order of the changes: it allows about 50 such questions a minute. */
const mostAsked = 20;

/**
 * Returns changes as the people of a channel are allowed to see them; null stays null. Uses the names that Slack knows for people, looking
 * each address up once. If people of another organization can read the channel, no address, full path or link is shown.
 */
export async function presentChanges<Known extends Change | null>(
  bot: Bot,
  channel: Channel,
  changes: readonly Known[],
  { discreet: known, linked = false }: PresentOptions = {},
): Promise<Known[]> {
  if (changes.length === 0) return [];
  const emails = new Set(changes.map((change) => change?.actorEmail).filter((email) => email != null));
  const found = [...emails].map(
    async (email, index) => [email, await bot.slack.nameOf(channel, email, index < mostAsked)] as const,
  );
  const [discreet, names] = await Promise.all([known ?? isDiscreet(bot, channel), Promise.all(found)]);
  const nameByEmail = new Map(names);
  return changes.map((change) => {
    if (change === null) return change;
    const { actorEmail } = change;
    const actorName = actorEmail === null ? null : (nameByEmail.get(actorEmail) ?? null);
    if (discreet) return discreetly({ ...change, actorName });
    return { ...change, actorName, url: linked ? urlOf(change, bot.config.urlTemplates) : null };
  });
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
