import { actorOf } from '../../messages/activity/deeds.ts';
import * as channels from '../../store/tables/channels.ts';
import * as knownNames from '../../store/tables/known-names.ts';
import * as links from '../../store/tables/links.ts';
import { columnsOf, type Subscription } from '../../store/tables/subscription-row.ts';
import type { Bot } from '../bot.ts';
import { type Change, someone } from '../model/change.ts';
import { usersIn } from '../model/filters.ts';
import { shortPattern } from '../model/patterns.ts';
import type { Channel, SlackPerson, Workspace } from '../model/people.ts';
import { urlOf } from '../model/service-urls.ts';
import type { Filters, Ping } from '../model/subscription.ts';
import { namesOf } from './people-names.ts';

/** Returns whether names and paths must be shortened, because people of another organization can read the channel. */
export async function isDiscreet({ db }: Pick<Bot, 'db'>, channel: Channel): Promise<boolean> {
  const { isShared, showsAll } = await channels.of(db, channel);
  return isShared && !showsAll;
}

/** Returns what to show in a channel for each person, email address and path of a subscription's settings, if it is not the value itself. */
export async function namesIn(
  bot: Bot,
  channel: Channel,
  { filters, ping }: { readonly filters: Filters; readonly ping?: Ping | null | undefined },
): Promise<ReadonlyMap<string, string>> {
  const pinged = ping?.kind === 'user' ? [ping.id] : [];
  const found = await namesOf(bot, channel, [...usersIn(filters), ...pinged]);
  const hidden = (await isDiscreet(bot, channel)) ? await hiddenIn(bot, channel, filters) : [];
  return new Map([...found, ...hidden]);
}

/** Returns what replaces email addresses and paths if people of another organization can read the channel. */
async function hiddenIn({ slack }: Bot, channel: Channel, { by, notBy, paths }: Filters) {
  const emails = [...by, ...notBy].flatMap((who) => ('email' in who ? [who.email] : []));
  const named = emails.map(
    async (email) => [email, (await slack.nameOf(channel, email)) ?? someone] as const,
  );
  const short = paths.map((path) => [path, shortPattern(path)] as const);
  return [...(await Promise.all(named)), ...short];
}

/**
 * Returns subscriptions with the names that an admin, who sees these channels, may be shown outside of them: what another person follows in one
 * shared with another organization has only the name of its project or session, and only if something else shows that to the admin.
 */
export async function withNamesFor(
  { db }: Pick<Bot, 'db'>,
  admin: SlackPerson,
  channelIds: readonly string[],
  rows: readonly Subscription[],
): Promise<readonly Subscription[]> {
  const followed = rows.map(({ channelId }) => channelId);
  const shared = await channels.sharedAmong(db, admin, followed);
  if (shared.size === 0) return rows;
  const known = await knownNames.shownTo(db, admin, channelIds);
  return rows.map((row) => {
    if (!shared.has(row.channelId) || row.ownerUserId === admin.userId) return row;
    const { parentId, itemId } = columnsOf(row.target);
    const kind = 'sessionId' in row.target ? 'session' : 'project';
    const name = known.find((one) => one.kind === kind && one.id === parentId)?.name ?? null;
    return { ...row, resourceName: itemId === null ? name : null, parentName: name };
  });
}

/** Returns the name to show in a channel for the person at the service with this email address. */
export async function actorNameIn(bot: Bot, channel: Channel, email: string): Promise<string> {
  const [name, discreet] = await Promise.all([bot.slack.nameOf(channel, email), isDiscreet(bot, channel)]);
  return actorOf({ actorName: name ?? (discreet ? someone : null), actorEmail: email });
}

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

/** Returns the addresses, in lower case, of a Slack user's link and profile. Null if they are not linked and Slack does not say now who they are. */
export async function emailsOf(
  { db, slack }: Pick<Bot, 'db' | 'slack'>,
  { enterpriseId, teamId }: Workspace,
  userId: string,
): Promise<readonly string[] | null> {
  const person = { enterpriseId, teamId, userId };
  const [link, profile] = await Promise.all([links.of(db, person), slack.recentProfileOf(person)]);
  if (profile === null && link?.account == null) return null;
  return [link?.account, profile?.email].filter((email) => email != null).map((email) => email.toLowerCase());
}
