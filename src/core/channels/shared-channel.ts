import { dayMs, earlier, timeLeft } from '../../lib/durations.ts';
import { channelShared, sharedChannelShows } from '../../messages/subscribing/announcements.ts';
import { alreadySo } from '../../messages/subscribing/answers.ts';
import * as channels from '../../store/tables/channels.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { announce } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import { act } from './act.ts';

// Channels that people of another organization can read.

/** Channels checked in one round: Slack allows about 50 of these calls a minute in a workspace, and commands need some. */
const checksARound = 20;
const checkAgainMs = dayMs;
const shareMs = 15_000;

/** A channel was shared: outside of an organization always with another one; inside, Slack is asked, and no answer counts as yes. `at`: `event_ts`. */
export async function channelWasShared(bot: Bot, channel: Channel, at: string): Promise<void> {
  const isShared = channel.enterpriseId === null || (await bot.slack.isShared(channel).catch(() => true));
  if (!isShared) return;
  await inTransaction(bot, async (bot) => {
    const isNew = await channels.note(bot.db, channel, { fact: 'shared', holds: true, at });
    if (isNew) await announceSharedIn(bot, channel);
  });
}

/** An event said that an organization has left the channel. `stillShared`: whether others remain; null if the event did not say. */
export async function channelWasUnshared(
  { db, slack }: Bot,
  channel: Channel,
  stillShared: boolean | null,
  at: string,
): Promise<void> {
  if (stillShared ?? (await slack.isShared(channel).catch(() => true))) return;
  await channels.note(db, channel, { fact: 'shared', holds: false, at });
}

/** Asks Slack whether a channel is shared, and stores who can read it. Throws if Slack does not say; that it is not public is stored all the same. */
export async function checkShared(bot: Bot, channel: Channel): Promise<boolean> {
  const { db, clock, slack } = bot;
  // Recorded before Slack is asked, so that channels without an answer do not delay the others.
  const askedAt = clock.now();
  await channels.noteSharedCheck(db, channel, askedAt);
  const readers = await slack.readersOf(channel).catch(async (error: unknown) => {
    if ((await slack.mayPost(channel)) === 'not in private channel') await channels.notePrivate(db, channel);
    throw error;
  });
  const isShared = await channels.noteSharedAnswer(db, channel, { ...readers, askedAt });
  if (isShared) await announceShared(bot, channel);
  return isShared;
}

/** Announces once what changes because the channel is shared, if it has subscriptions. */
export const announceShared = (bot: Bot, channel: Channel): Promise<void> =>
  inTransaction(bot, (bot) => announceSharedIn(bot, channel));

async function announceSharedIn(bot: Bot, channel: Channel): Promise<void> {
  if ((await subscriptions.ofChannel(bot.db, channel)).length === 0) return;
  if (await channels.takeNotice(bot.db, channel)) await announce(bot, channel, channelShared);
}

/** Shows everything in a shared channel, or shortens it again, as its members choose. */
export async function setShowsAll(
  bot: Bot,
  context: CommandContext,
  { all }: { readonly all: boolean },
): Promise<void> {
  await act(bot, context, async ({ db }, by) => {
    if (!(await channels.setShowsAll(db, channelOf(context), all))) return { reply: alreadySo };
    const audit = all ? 'show all in shared channel' : 'shorten in shared channel';
    return { announcement: sharedChannelShows(by, all), audit };
  });
}

/** Checks channels that were not checked for a day, in case an event never arrived. Runs every minute. */
export async function checkSharedRound(bot: Bot): Promise<void> {
  const { db, clock, log } = bot;
  const hasTime = timeLeft(clock, shareMs);
  const since = earlier(clock.now(), checkAgainMs);
  for (const channel of await channels.notCheckedSince(db, since, checksARound)) {
    if (!hasTime()) return;
    await checkShared(bot, channel).catch((error: unknown) =>
      log.warn({ err: error, ...channelFields(channel) }, 'could not check if a channel is shared'),
    );
  }
}
