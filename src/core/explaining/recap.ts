import { dayMs, earlier } from '../../lib/durations.ts';
import { inSlices } from '../../lib/in-slices.ts';
import {
  type CaughtUpChannel,
  caughtUp,
  type FittingItems,
  recapMessage,
  whichItem,
} from '../../messages/explaining/recap.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import * as items from '../../store/tables/items.ts';
import * as recapEvents from '../../store/tables/recap-events.ts';
import * as settings from '../../store/tables/settings.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { homesOf } from '../access/place.ts';
import { isDiscreet, lastOnly } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import type { AnyRequest } from '../model/any-request.ts';
import type { Change } from '../model/change.ts';
import { recapSince } from '../model/digest-hours.ts';
import { documentKey, itemKey, parentKey, projectItemKey } from '../model/items.ts';
import type { Channel, SlackPerson } from '../model/people.ts';
import type { RecapRequest } from '../model/request.ts';
import { decoded, type LinkedTarget, linkedTarget, linkIn } from '../model/service-urls.ts';
import { spelling } from '../model/typed-text.ts';
import { changesSince, waitingSince, withoutAsking } from './changes-since.ts';

/** How many channels one look at all of them covers. */
const mostChannels = 20;

/** Lists what changed in what the channel follows, or of one item, for the reader alone. A `page` takes the place of the one that was shown. */
export async function recap(bot: Bot, context: CommandContext, request: RecapRequest): Promise<void> {
  const channel = channelOf(context);
  const now = bot.clock.now();
  const { signs, detailsDays: days } = await settings.of(bot.db, channel);
  const earliest = earlier(now, days * dayMs);
  const again = (other: Omit<RecapRequest, 'act'>): AnyRequest => {
    const wanted = { act: 'recap', ...other } as const;
    // Of a press elsewhere, Slack does not say which channel it is about.
    if (context.madeInChannel) return wanted;
    return { act: 'in-channel', channelId: channel.channelId, request: wanted };
  };
  const options = { replace: request.page !== undefined };
  const followed = await subscriptions.ofChannel(bot.db, channel);
  const { named = null, key: pressed } = request;
  const found = named === null ? null : await findNamed(bot, channel, { named, followed, since: earliest });
  if (named !== null && found !== null && found.count > 1)
    return context.reply(whichItem({ named, items: found, since: request.since, again }), options);
  const item = found?.first[0] ?? null;
  const since = recapSince(request.since, await zoneOf(bot, context.person), now, days);
  const scope = { key: pressed ?? item?.key ?? null, since };
  const listed = await changesSince(bot, channel, scope);
  const last = listed.changes.at(-1);
  const isItem = scope.key !== null && isOfItem(scope.key);
  await context.reply(
    recapMessage({
      ...listed,
      since,
      days,
      page: request.page ?? 0,
      request: { since: request.since, key: scope.key ?? undefined },
      about: scope.key === null ? null : (isItem ? last?.name : last?.within?.name) || item?.name || null,
      isItem,
      unknown: scope.key === null ? named : null,
      channelId: context.madeInChannel ? null : channel.channelId,
      follows: followed.length > 0,
      signed: signs,
      again,
    }),
    options,
  );
}

/** Lists the person's channels in which something changed since yesterday, with counts. */
export async function catchUp(bot: Bot, context: CommandContext): Promise<void> {
  const { person } = context;
  const [channels, direct, zone, { detailsDays }] = await Promise.all([
    bot.slack.channelsOf(person),
    directMessages.of(bot.db, person),
    zoneOf(bot, person),
    settings.of(bot.db, person),
  ]);
  const since = recapSince(undefined, zone, bot.clock.now(), detailsDays);
  const own = [...(channels ?? []), ...(direct === null ? [] : [direct])];
  const homes = await homesOf(bot, person, own);
  const newest = await recapEvents.newestChannels(bot.db, homes, { since, limit: mostChannels });
  const found: CaughtUpChannel[] = [];
  for (const channel of newest) {
    const listed = await changesSince(withoutAsking(bot), channel, { key: null, since });
    if (listed.changes.length > 0) found.push({ ...listed, channelId: channel.channelId });
  }
  await context.reply(caughtUp(since, found, channels !== null));
}

async function zoneOf({ slack }: Bot, person: SlackPerson): Promise<string> {
  return (await slack.profileOf(person)).zone;
}

/** What a name is looked for in. */
type Known = {
  readonly key: string;
  /** Newest first, in the form of `spelling`. */
  readonly names: readonly string[];
  /** The current name, as the service wrote it. */
  readonly name: string;
};

/** The most items that are described if a name fits several. */
const mostDescribed = 10;
/** A shorter name is in too many lines. */
const shortestWithin = 3;

/** Whether a key is that of an item, and not of a project or session with everything in it. */
const isOfItem = (key: string): boolean => !/^(?:project|session):/.test(key);

/**
 * Returns what a name or a link stands for among what changed in a channel since a time and the projects and sessions that it follows: what is
 * called so now or was earlier; else what has the text in its name; else the longest name in the text. An id decides first; a
 * link stands for nothing else than what it leads to.
 */
async function findNamed(
  bot: Bot,
  channel: Channel,
  {
    named,
    followed,
    since,
  }: { readonly named: string; readonly followed: readonly Subscription[]; readonly since: Date },
): Promise<FittingItems> {
  const [waiting, posted] = await Promise.all([
    waitingSince(bot, channel, { key: null, since }),
    recapEvents.names(bot.db, channel, since),
  ]);
  const rows = [...waiting.toReversed().flatMap(itemOf), ...posted, ...followed.flatMap(holderOf)];
  const known: Known[] = [];
  await inSlices(
    Map.groupBy(rows, ({ key }) => key),
    (each) => known.push(knownOf(each)),
  );
  const keys = new Set(known.map(({ key }) => key));
  const link = linkIn(named);
  const target = link === null ? null : linkedTarget(link, bot.config.urlTemplates);
  const wanted = target === null ? keyInLink(link ?? named, keys) : keyOf(target);
  const isName = link === null && wanted === null;
  const fits = isName ? fitting(spelling(named), known) : known.filter(({ key }) => key === wanted);
  return describe(bot, channel, fits, { text: spelling(named), all: known });
}

function knownOf([key, rows]: readonly [
  string,
  readonly Pick<recapEvents.NamedItem, 'name' | 'previousName'>[],
]): Known {
  const names = rows
    .flatMap(({ name, previousName }) => [name, previousName])
    .filter((name) => name !== null);
  return {
    key,
    name: rows.find(({ name }) => name !== null)?.name ?? '',
    names: [...new Set(names.map(spelling))],
  };
}

/** Returns what changed by its names. */
function itemOf({ resourceType, itemId, name, previousName, within }: Change): recapEvents.NamedItem[] {
  const [projectId, sessionId] = within?.kind === 'session' ? [null, within.id] : [within?.id ?? null, null];
  const key = itemKey({ resourceType, projectId, sessionId, itemId, name });
  return key === null ? [] : [{ key, name, previousName }];
}

/** Returns the project or session of a subscription by its name. */
function holderOf({ target, resourceName, parentName }: Subscription): recapEvents.NamedItem[] {
  const isItself = target.kind === 'project' || target.kind === 'session';
  return [{ key: parentKey(target), name: isItself ? resourceName : parentName, previousName: null }];
}

function fitting(text: string, known: readonly Known[]): readonly Known[] {
  const same = known.filter(({ names }) => names.includes(text));
  if (same.length > 0) return same;
  const partly = known.filter(({ names }) => names.some((name) => isWithin(text, name)));
  if (partly.length > 0) return partly;
  const inText = known.flatMap((one) =>
    one.names.flatMap((name) =>
      name.length >= shortestWithin && isWithin(name, text) ? [{ one, length: name.length }] : [],
    ),
  );
  const longest = Math.max(0, ...inText.map(({ length }) => length));
  return [...new Set(inText.flatMap(({ one, length }) => (length === longest ? [one] : [])))];
}

/** Whether a text stands in another, from the beginning of a word on. */
function isWithin(part: string, text: string): boolean {
  return (
    part !== '' &&
    (text.startsWith(part) || /[^\p{L}\p{N}]/u.test(text.charAt(text.indexOf(part) - 1))) &&
    text.includes(part)
  );
}

function keyOf(target: LinkedTarget): string | null {
  if ('itemId' in target) return projectItemKey(target.projectId, target.itemId);
  if ('documentId' in target) return documentKey(target.sessionId, target.documentId);
  return target.kind === 'unknown' ? null : parentKey(target);
}

/**
 * Returns the key of what an id in a text or link stands for: the item whose id is a part of the link, or else the project or session. Digits
 * later in its path may be the id of an item in which nothing changed.
 */
function keyInLink(text: string, keys: ReadonlySet<string>): string | null {
  const parts = text.split(/[/?&=#\s]+/).map((part) => decoded(part, part));
  for (const match of text.matchAll(/(?<!\d)(\d{3})-?(\d{3})-?(\d{3})(?!\d)/g)) {
    const id = match.slice(1).join('-');
    const hasMore = /^[^?#\s]*\d/.test(text.slice(match.index + match[0].length));
    const wanted = [
      ...parts.toReversed().flatMap((part) => [projectItemKey(id, part), documentKey(id, part)]),
      ...(hasMore ? [] : [`project:${id}`, `session:${id}`]),
    ];
    const found = wanted.find((key) => keys.has(key));
    if (found !== undefined) return found;
  }
  return null;
}

/** Says of the first of some items by which earlier name each was found, and where it is, as the people of the channel may see it. */
async function describe(
  bot: Bot,
  channel: Channel,
  fits: readonly Known[],
  { text, all }: { readonly text: string; readonly all: readonly Known[] },
): Promise<FittingItems> {
  const described = fits.slice(0, mostDescribed);
  const keys = described.map(({ key }) => key);
  const [places, discreet] = await Promise.all([items.load(bot.db, channel, keys), isDiscreet(bot, channel)]);
  const first = described.map(({ key, name, names }) => {
    const folder = places.get(key)?.path?.split('/').slice(0, -1) ?? null;
    const [, parent = ''] = key.split(':');
    const within = all.find(
      (one) => [`project:${parent}`, `session:${parent}`].includes(one.key) && one.key !== key,
    );
    const isCurrent = isWithin(text, spelling(name));
    return {
      key,
      name,
      previousName: isCurrent
        ? null
        : (names.find((one) => one !== spelling(name) && isWithin(text, one)) ?? null),
      folder: discreet ? lastOnly(folder) : folder,
      within: within?.name || null,
    };
  });
  return { first, count: fits.length };
}
