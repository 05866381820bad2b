import { dayMs, earlier } from '../../lib/durations.ts';
import { type FollowedLink, linkPreview } from '../../messages/explaining/link-previews.ts';
import type { Message } from '../../messages/text/message.ts';
import * as channels from '../../store/tables/channels.ts';
import * as events from '../../store/tables/events.ts';
import * as items from '../../store/tables/items.ts';
import * as knownNames from '../../store/tables/known-names.ts';
import { columnsOf, type Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { recallChanges } from '../delivering/recall-changes.ts';
import { mostLinks } from '../model/any-request.ts';
import { followedWords } from '../model/format-request.ts';
import { projectItemKey, type Remembered } from '../model/items.ts';
import { channelFields } from '../model/log-fields.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { type LinkedTarget, linkedTarget, targetsOf } from '../model/service-urls.ts';
import { mostDetailsDays } from '../model/settings.ts';
import { subscribedOf } from '../model/subscription.ts';
import type { PostedLinks } from '../slack.ts';

/**
 * Shows previews of the links to the service in a message that was posted anywhere in the workspace. Only where the bot is in the channel,
 * and nobody of another organization is, do they show more than what kind of thing a link leads to. Never throws.
 */
export async function previewLinks(
  bot: Bot,
  channel: Channel,
  links: PostedLinks & {
    readonly urls: readonly string[];
    readonly isMember: boolean;
    readonly isShared: boolean;
  },
): Promise<void> {
  const found = [...new Set(links.urls)].slice(0, mostLinks).flatMap((url) => {
    const target = linkedTarget(url, bot.config.urlTemplates);
    return target === null ? [] : [{ url, target }];
  });
  if (found.length === 0) return;
  try {
    const isDm = isDirect(channel.channelId);
    const isOpen = links.isMember && !links.isShared && !isDm;
    const isKnown = isOpen && !(await channels.of(bot.db, channel)).isShared;
    const rows = isKnown ? await subscriptions.ofChannel(bot.db, channel) : [];
    // The id of a group direct message does not show that it is one.
    const mayBeGroup = !isDm && links.isMember && rows.length === 0;
    const isGroup = mayBeGroup && (await bot.slack.recentlyMayPost(channel)) === 'direct message';
    const isBetweenPeople = isDm || isGroup;
    const knows = isKnown && !isBetweenPeople;
    const { serviceName } = bot.config.copy;
    const drawn = found.map(async ({ url, target }): Promise<readonly [string, Message]> => {
      const known = knows ? await knownIn(bot, channel, target, rows) : nothingKnown;
      return [url, linkPreview({ target, ...known, isBetweenPeople, serviceName })];
    });
    await show(bot, channel, { links, previews: new Map(await Promise.all(drawn)), isAgain: false });
  } catch (error) {
    bot.log.info({ err: error, ...channelFields(channel) }, notPreviewed);
  }
}

const notPreviewed = 'links could not be previewed';
/** A preview that comes later would move what people read by now. */
const mostWaitSeconds = 120;

/** Shows previews; if Slack limits them, once more when it takes them again. */
async function show(
  bot: Bot,
  channel: Channel,
  shown: {
    readonly links: PostedLinks;
    readonly previews: ReadonlyMap<string, Message>;
    readonly isAgain: boolean;
  },
): Promise<void> {
  const seconds = await bot.slack.preview(channel, shown.links, shown.previews);
  if (seconds === null) return;
  const again = () => show(bot, channel, { ...shown, isAgain: true });
  if (!shown.isAgain && seconds <= mostWaitSeconds)
    return bot.later.runAfter(seconds * 1_000, again, notPreviewed);
  bot.log.info({ ms: 1_000 * seconds, ...channelFields(channel) }, notPreviewed);
}

const nothingKnown = { name: null, parentName: null, followed: null };

/** @param rows the subscriptions of the channel */
async function knownIn(bot: Bot, channel: Channel, target: LinkedTarget, rows: readonly Subscription[]) {
  const row = followedBy(rows, target);
  const { parentId, itemId, ...kind } = columnsOf(row?.target ?? targetsOf(target)[0]);
  const names = await knownNames.shownIn(bot.db, channel, { parentId, itemId, ...kind });
  const item = itemId === null ? null : await knownItem(bot, channel, { parentId, itemId });
  // The channel can still remember the names of what it no longer follows.
  const isFollowed = itemId === null || isIn({ parentId, itemId }, item, rows);
  return {
    target: row?.target ?? target,
    name: isFollowed ? (names.knownName ?? item?.name ?? null) : null,
    parentName: itemId === null ? null : names.parentName,
    followed: row && (await followedLink(bot, row)),
  };
}

type ItemIds = { readonly parentId: string; readonly itemId: string };

/** Returns what a channel knows of an item; of a folder, also what the path of something in it shows. */
async function knownItem(
  { db }: Bot,
  channel: Channel,
  { parentId, itemId }: ItemIds,
): Promise<Remembered | null> {
  const key = projectItemKey(parentId, itemId);
  const known = (await items.load(db, channel, [key])).get(key);
  if (known) return known;
  const folder = { id: itemId, keyPrefix: projectItemKey(parentId, '') };
  return (await items.learned(db, channel, [{ key, ownerUserId: '', folder }])).get(key) ?? null;
}

/** Whether a subscription of the channel follows an item, what it is in, or a folder that it was in when the channel last heard of it. */
function isIn(
  { parentId, itemId }: ItemIds,
  item: Remembered | null,
  rows: readonly Subscription[],
): boolean {
  const idPath = item?.idPath?.split('/') ?? [];
  return rows.some(({ target }) => {
    const followed = columnsOf(target);
    if (followed.parentId !== parentId) return false;
    return followed.itemId === null || [itemId, ...idPath].includes(followed.itemId);
  });
}

/** Returns the one of a channel's subscriptions that follows just what a link leads to; null if none does. */
export function followedBy(rows: readonly Subscription[], linked: LinkedTarget): Subscription | null {
  const wanted = targetsOf(linked).map(followedWords);
  return rows.find(({ target }) => wanted.includes(followedWords(target))) ?? null;
}

async function followedLink(bot: Bot, row: Subscription): Promise<FollowedLink> {
  // Details of what was received earlier are deleted by now.
  const since = earlier(bot.clock.now(), mostDetailsDays * dayMs);
  const last = await events.lastPosted(bot.db, row, since);
  const [lastChange = null] = last === null ? [] : await recallChanges(bot, row, [last]);
  return { id: row.id, subscribed: subscribedOf(row), since: row.createdAt, lastChange };
}
