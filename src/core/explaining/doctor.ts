import {
  doctorReport,
  postedAgain,
  postingResumed,
  repaired,
  subscriptionsChecked,
} from '../../messages/explaining/doctor.ts';
import { lastTimes, linkOf } from '../../messages/explaining/findings.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as deadLetters from '../../store/tables/dead-letters.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import * as traces from '../../store/tables/traces.ts';
import { writeAudit } from '../access/audit.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { requirePostable } from '../channels/channel-facts.ts';
import { isDirect, ownerOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import { checkLink } from '../upstream/check-link.ts';
import { checkChannel, checkSubscription } from './checks.ts';

/** The most dead letters that one click retries. */
const deadAtOnce = 1_000;

/** `/plancast doctor`. `detailed` shows every check, in place of the message whose button asked for that. */
export async function doctor(
  bot: Bot,
  context: CommandContext,
  { detailed = false }: { readonly detailed?: boolean } = {},
): Promise<void> {
  const { copy, person } = context;
  const channel = channelOf(context);
  const [rows, check, link] = await Promise.all([
    subscriptions.ofChannel(bot.db, channel),
    checkChannel(bot, context),
    links.of(bot.db, person),
  ]);
  const shown = rows.slice(0, subscriptionsChecked);
  const ids = shown.map(({ id }) => id);
  const [posts, checks] = await Promise.all([
    traces.lastPosts(bot.db, ids),
    Promise.all(shown.map((row) => checkSubscription(bot, context, row))),
  ]);
  const { userId } = person;
  // If one of the subscriptions is the reader's own, its findings already include their link.
  const isShownBelow = shown.some(({ ownerUserId }) => ownerUserId === userId);
  const reader = linkOf({ userId, name: userId }, true, link?.state ?? 'none', copy);
  await context.reply(
    doctorReport({
      channel: isShownBelow ? check.findings : [...check.findings, reader],
      subscriptions: shown.map((row, index) => ({
        subscribed: subscribedOf(row),
        findings: [...(checks[index] ?? []), ...lastTimes(row.lastEventAt, posts.get(row.id) ?? null, copy)],
      })),
      unchecked: rows.length - shown.length,
      lastPost: [...posts.values()].toSorted((a, b) => b.getTime() - a.getTime())[0],
      detailed,
      personal: isDirect(channel.channelId),
      copy,
    }),
    { replace: detailed },
  );
}

/** Checks one subscription again, and recreates it at the service if it is missing there. */
export async function repairRemoteSubscription(
  bot: Bot,
  context: CommandContext,
  row: Subscription,
): Promise<void> {
  const link = await links.of(bot.db, ownerOf(row));
  if (link) await checkLink(bot, link.id);
  const now = await subscriptions.ofWorkspace(bot.db, context.person, row.id);
  if (now === null) return context.reply(alreadyGone);
  await context.reply(repaired(subscribedOf(now), await checkSubscription(bot, context, now)));
}

/** Resumes posting in a channel that had been closed to the bot. */
export async function repairPosting(bot: Bot, context: CommandContext): Promise<void> {
  await requirePostable(bot, context);
  await context.reply(postingResumed);
}

/** Retries this channel's dead letters. */
export async function replayDeadLetters(bot: Bot, context: CommandContext): Promise<void> {
  const seqs = await traces.dead(bot.db, channelOf(context), deadAtOnce);
  if (seqs.length === 0) return context.reply(postedAgain(0));
  const replayed = await inTransaction(bot, async (bot) => {
    const replayed = await deadLetters.replay(bot.db, seqs, bot.clock.now());
    await writeAudit(bot, context, 'replay dead letters', context.channelId);
    const lanes = replayed.map(({ lane }) => lane);
    await signalLanes(bot.db, lanes);
    return replayed;
  });
  await context.reply(postedAgain(replayed.reduce((sum, { seqs: events }) => sum + events.length, 0)));
}
