import { dayMs, earlier, hourMs, later } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import {
  type LowerVolume,
  tooMuch,
  volumeKept,
  volumeLowered,
} from '../../messages/subscribing/questions.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import * as traces from '../../store/tables/traces.ts';
import { type CommandContext, contextFrom } from '../access/command-context.ts';
import { whyMayNotChange } from '../access/who-may.ts';
import { announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { lastDigestHour, midnight } from '../model/digest-hours.ts';
import { channelFields } from '../model/log-fields.ts';
import { type Channel, ownerOf } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { subscribedOf } from '../model/subscription.ts';
import { subscribeTo } from '../model/typed-settings.ts';
import { subscribe } from './subscribe.ts';

// Asks whether a channel gets too much (CONTRACT, Too much?).

/** The most activity messages a day before somebody is asked. */
const messagesMost = 60;
/** In days: how long nobody is asked about a channel again, and about a subscription that is to stay as it is. */
const asksAgainDays = { channel: 14, kept: 90 };
/** At this time of the day the owner is asked, or up to so many milliseconds later if the bot was not running. */
const asked = { at: '09:00', withinMs: 3 * hourMs };

/** Asks the owners of what posted too much yesterday, each at 9:00 of their day. Runs every quarter of an hour, as zones differ by that. */
export async function askAboutVolume(bot: Bot): Promise<void> {
  const { db, clock, log } = bot;
  const now = clock.now();
  // Yesterday began less than two days ago in any zone.
  const since = earlier(now, 2 * dayMs);
  const asked = earlier(now, asksAgainDays.channel * dayMs);
  // A statement for each workspace: one for all would take longer than a statement may.
  await forEachRow(
    await traces.postedIn(db, since),
    async (teamId) => {
      const busy = await traces.busyChannels(db, teamId, { since, most: messagesMost, asked });
      await forEachRow(
        busy,
        (channel) => askAbout(bot, channel, now),
        (error, channel) =>
          log.warn({ err: error, ...channelFields(channel) }, 'could not ask about a busy channel'),
      );
    },
    (error, team) => log.warn({ err: error, team }, 'could not look for busy channels'),
  );
}

async function askAbout(bot: Bot, channel: Channel, now: Date): Promise<void> {
  const within: { row: Subscription; id: string; zone: string; from: Date; to: Date }[] = [];
  for (const row of await subscriptions.ofChannel(bot.db, channel)) {
    // Those of owners whom Slack does not know are not counted.
    const { zone } = (await bot.slack.profileOf(ownerOf(row)).catch(() => null)) ?? {};
    if (zone)
      within.push({ row, id: row.id, zone, from: midnight(zone, now, 1), to: midnight(zone, now, 0) });
  }
  const messages = await traces.messagesWithin(bot.db, channel, within);
  const total = new Set(messages.map(({ messageTs }) => messageTs)).size;
  if (total <= messagesMost) return;
  const counts = within.map((each) => ({
    ...each,
    count: messages.filter(({ id }) => id === each.id).length,
  }));
  const [most] = counts.toSorted((one, other) => other.count - one.count);
  if (!most || !isTimeToAsk(most.zone, now) || (most.row.volumeKeptUntil ?? now) > now) return;
  if (!(await mayStillChange(bot, most.row))) return;
  await ask(bot, most.row, { total, count: most.count, now });
}

function isTimeToAsk(zone: string, now: Date): boolean {
  const last = lastDigestHour({ when: 'daily', at: asked.at, zone }, now) ?? now;
  return now.getTime() - last.getTime() < asked.withinMs;
}

async function mayStillChange(bot: Bot, row: Subscription): Promise<boolean> {
  const { slack } = bot;
  const person = ownerOf(row);
  if ((await slack.currentProfileOf(person)).standing !== 'member') return false;
  if ((await slack.isInChannel(person, row.channelId)) !== 'yes') return false;
  const there = contextFrom(bot, { person, channelId: row.channelId });
  return (await whyMayNotChange(bot, there, requestFor(row, 'digest'))).why === null;
}

async function ask(
  bot: Bot,
  row: Subscription,
  { total, count, now }: { readonly total: number; readonly count: number; readonly now: Date },
): Promise<void> {
  const since = earlier(now, asksAgainDays.channel * dayMs);
  const question = tooMuch({
    id: row.id,
    channelId: row.channelId,
    subscribed: subscribedOf(row),
    total,
    count,
  });
  await inTransaction(bot, async (bot) => {
    if (await subscriptions.takeVolumeQuestion(bot.db, row, since, now))
      await announceTo(bot, ownerOf(row), question);
  });
}

function requestFor(row: Subscription, to: LowerVolume): SubscribeRequest {
  const daily = { when: 'daily', at: '09:00' } as const;
  return { ...subscribeTo(row), when: to === 'digest' ? daily : { ...daily, except: ['delete'] } };
}

/** Changes a subscription to a digest, as its owner answered. */
export async function lowerVolume(
  bot: Bot,
  context: CommandContext,
  row: Subscription,
  { to }: { readonly to: LowerVolume },
): Promise<void> {
  await subscribe(bot, context, requestFor(row, to), { staysPaused: true });
  await context.reply(volumeLowered(row.channelId, subscribedOf(row), to), { replace: true });
}

/** Leaves a subscription as it is, and asks nobody about it for a while. */
export async function keepVolume(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  await subscriptions.keepVolume(bot.db, row.id, later(bot.clock.now(), asksAgainDays.kept * dayMs));
  await context.reply(volumeKept(asksAgainDays.kept), { replace: true });
}
