import { minuteMs } from '../../lib/durations.ts';
import { makeOneAtATime } from '../../lib/later.ts';
import { homeRefusal, homeView } from '../../messages/home/home.ts';
import { rowsOfPage } from '../../messages/subscribing/lists.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { homeOf } from '../access/place.ts';
import type { Bot } from '../bot.ts';
import { personFields } from '../model/log-fields.ts';
import { type Channel, channelKey, isDirect, type SlackPerson } from '../model/people.ts';
import { silenceOf } from '../model/quiet-hours.ts';
import { listExclusions, listSubscriptions } from './lists.ts';

/** A tab opened longer ago is probably closed; it is redrawn when it is opened again. */
const watchedMs = 30 * minuteMs;
const mostWatched = 1_000;

/** The Home tabs that people may be looking at. */
export type HomeTabs = ReturnType<typeof makeHomeTabs>;

/** @param now milliseconds of a monotonic clock */
export function makeHomeTabs(now: () => number) {
  return {
    now,
    /** When each tab was opened, by person. */
    watched: new Map<string, number>(),
    oneAtATime: makeOneAtATime(),
    /** Tabs that were opened and will be drawn once the drawing under way is done, by person. */
    toDraw: new Map<string, Promise<void>>(),
  };
}

/** Shows the Home tab to a person who clicked in it: their account, the subscriptions that use it, and the items they follow. */
export async function showHome(bot: Bot, person: SlackPerson, page = 0): Promise<void> {
  watch(bot.inProcess.homeTabs, person);
  await draw(bot, person, page);
}

/** Shows the tab to a person who opened it. However often that was while it is being drawn, which nothing limits, it is drawn once more. */
export function homeOpened(bot: Bot, person: SlackPerson): Promise<void> {
  const { toDraw, oneAtATime } = bot.inProcess.homeTabs;
  const key = keyOf(person);
  watch(bot.inProcess.homeTabs, person);
  const drawn =
    toDraw.get(key) ??
    oneAtATime(key, () => {
      toDraw.delete(key);
      return draw(bot, person, 0);
    });
  toDraw.set(key, drawn);
  return drawn;
}

/** Another screen replaces the tab, so a refresh must not overwrite it. */
export function leaveHome({ inProcess }: Bot, person: SlackPerson): void {
  inProcess.homeTabs.watched.delete(keyOf(person));
}

/** Redraws the tab after something of the person's changed, if they may be looking at it. Never throws. */
export async function refreshHome(bot: Bot, person: SlackPerson): Promise<void> {
  const { watched, now } = bot.inProcess.homeTabs;
  const opened = watched.get(keyOf(person));
  if (opened === undefined || now() - opened > watchedMs) return;
  await draw(bot, person, 0).catch((error: unknown) =>
    bot.log.warn({ err: error, ...personFields(person) }, 'could not refresh a Home tab'),
  );
}

function watch({ watched, now }: HomeTabs, person: SlackPerson): void {
  const key = keyOf(person);
  watched.delete(key);
  watched.set(key, now());
  const oldest = watched.keys().next().value;
  if (watched.size > mostWatched && oldest !== undefined) watched.delete(oldest);
}

async function draw(bot: Bot, person: SlackPerson, page: number): Promise<void> {
  const { db, slack } = bot;
  const { standing } = await slack.currentProfileOf(person);
  if (standing !== 'member') return slack.publishHome(person, homeRefusal);
  const [link, own, channels, admin, off] = await Promise.all([
    links.of(db, person),
    subscriptions.ofOwner(db, person),
    slack.channelsOf(person),
    // The tab is useful even without the buttons for admins.
    slack.isAdmin(person).catch(() => false),
    slack.featuresOff(person).catch(() => null),
  ]);
  // By channel, otherwise in their order.
  const found = [...Map.groupBy(own, channelKey).values()].flat();
  const shown = rowsOfPage(found.length, page);
  const listed = await listSubscriptions(bot, found, shown);
  const visible = await visibleAmong(bot, person, found.slice(shown.from, shown.to), channels);
  const rows = listed.map((row, index) => {
    const subscription = found[index];
    const isVisible = subscription !== undefined && visible.has(channelKey(subscription));
    return { ...row, channelId: isVisible ? subscription.channelId : null };
  });
  const muted = await listExclusions(bot, [...visible.values()]);
  const direct = [...visible.values()].find(({ channelId }) => isDirect(channelId));
  const lanesOf = await Promise.all(
    [...visible.values()].map(async (channel) => [channel.channelId, await lanes.find(db, channel)] as const),
  );
  const quiet = new Map(lanesOf.map(([channelId, lane]) => [channelId, lane?.quiet ?? null]));
  const ownLane = lanesOf.find(([channelId]) => channelId === direct?.channelId)?.[1] ?? null;
  const view = homeView({
    link,
    rows,
    muted,
    // Quiet hours too, since Unmute ends them and cannot be typed there.
    mutedUntil: ownLane && (silenceOf(ownLane, bot.clock.now())?.until ?? null),
    quiet,
    page,
    channelsKnown: channels !== null,
    admin,
    off,
    copy: bot.config.copy,
  });
  await slack.publishHome(person, view);
}

/** Returns the channels that the person is certainly in, by key. Only these are shown and can be acted on. */
async function visibleAmong(
  bot: Bot,
  person: SlackPerson,
  rows: readonly Subscription[],
  known: ReadonlySet<string> | null,
): Promise<ReadonlyMap<string, Channel>> {
  if (known === null) return new Map();
  const channels = new Map(rows.map((row) => [channelKey(row), row]));
  const found = [...channels].map(async ([key, row]) =>
    (await isVisible(bot, person, row, known)) ? [[key, row] as const] : [],
  );
  return new Map((await Promise.all(found)).flat());
}

async function isVisible(
  bot: Bot,
  person: SlackPerson,
  { teamId, channelId }: Channel,
  known: ReadonlySet<string>,
): Promise<boolean> {
  if (teamId === person.teamId) {
    // The cached list of their channels may lack the newest.
    return known.has(channelId) || (await bot.slack.isInChannel(person, channelId)) === 'yes';
  }
  // Workspaces of an organization can share a channel, which is stored under one of them.
  return known.has(channelId) && (await homeOf(bot, { ...person, channelId })).teamId === teamId;
}

function keyOf({ teamId, userId }: SlackPerson): string {
  return `${teamId}/${userId}`;
}
