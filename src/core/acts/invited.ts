import { dayMs, earlier, minuteMs } from '../../lib/durations.ts';
import { aboutKept, greeting, keptDone } from '../../messages/subscribing/answers.ts';
import type { Message } from '../../messages/text/message.ts';
import type { ApprovalRequest } from '../../store/tables/requests.ts';
import * as requests from '../../store/tables/requests.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { aboutChannel, type CommandContext, contextFrom } from '../access/command-context.ts';
import { withMentionsNamed } from '../access/people-names.ts';
import { answerFailures } from '../access/refusal.ts';
import { announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { openChannel } from '../channels/channel-facts.ts';
import { holdsTicket } from '../linking/tickets.ts';
import { typedLine } from '../model/format-request.ts';
import { isChannelReason } from '../model/pause-reason.ts';
import { type Channel, personOf } from '../model/people.ts';
import { requestSchema } from '../model/request.ts';
import { allowedBy } from './ask-admin.ts';
import { carryOut, takeOnceIn } from './carry-out.ts';

/** A process that has not carried out by then what it claimed has died. */
const claimMs = 10 * minuteMs;

/**
 * The bot was invited to a channel: its subscriptions resume, what was kept until then is carried out, and whoever invited it, if Slack names
 * them, is greeted, unless one of these is what they invited it for. Slack may send the event again at any time. `at`: its `event_ts`.
 */
export async function invited(
  bot: Bot,
  channel: Channel,
  { inviter, at }: { readonly inviter: string | null; readonly at: string },
): Promise<void> {
  const resumes = (await subscriptions.ofChannel(bot.db, channel)).some(
    ({ state, reason }) => state === 'paused' && isChannelReason(reason),
  );
  const now = bot.clock.now();
  const since = earlier(now, dayMs);
  const isForIt = resumes || (inviter !== null && (await requests.hasKept(bot.db, channel, inviter, since)));
  // Before anything else, as the event that Slack sends again finds nothing to resume.
  if (isForIt) await takeGreeting(bot, channel);
  await openChannel(bot, channel, { ended: 'out', at });
  const kept = await requests.claimKept(bot.db, channel, { since, now });
  bot.later.run(() => carryOutAll(bot, kept), 'could not carry out what was kept until the bot was invited');
  if (inviter !== null && !isForIt) await greet(bot, channel, inviter);
}

/** Carries out what a process claimed when the bot was invited, or an admin allowed something, and died. Runs every minute. */
export async function finishClaimed(bot: Bot): Promise<void> {
  const now = bot.clock.now();
  await carryOutAll(bot, await requests.reclaim(bot.db, { before: earlier(now, claimMs), now }));
}

/** Leaves to another round what would outlast the claim, or a stop. */
async function carryOutAll(bot: Bot, claimed: readonly ApprovalRequest[]): Promise<void> {
  const startsUntil = Number(bot.clock.now()) + claimMs / 2;
  for (const each of claimed) {
    if (bot.later.isStopping() || Number(bot.clock.now()) > startsUntil) return;
    await (each.state === 'allowed' ? carryOutAllowed : carryOutKept)(bot, each);
  }
}

/** Carries out what an admin allowed. It may have been done before: then the person reads that nothing changes. */
async function carryOutAllowed(bot: Bot, allowed: ApprovalRequest): Promise<void> {
  const next = allowedBy(bot, allowed);
  if (next === null) return requests.carriedOut(bot.db, allowed.id);
  await answerFailures(bot, next.context, () => carryOut(bot, next.context, next.request, next));
  await next.done?.();
}

async function carryOutKept(bot: Bot, kept: ApprovalRequest): Promise<void> {
  const answers = await answersTo(bot, kept);
  await inTransaction(bot, async (bot) => {
    if (!(await requests.forgetKept(bot.db, kept.id))) return;
    for (const answer of answers) await announceTo(bot, personOf(kept), answer);
  });
}

/** Claims the greeting in a channel; false if there was one within a day, or a reason for none. */
function takeGreeting(bot: Bot, { teamId, channelId }: Channel): Promise<boolean> {
  return takeOnceIn(bot, `greeting:${teamId}/${channelId}`, dayMs);
}

async function greet(bot: Bot, channel: Channel, userId: string): Promise<void> {
  const { channelId, ...workspace } = channel;
  const person = { ...workspace, userId };
  if ((await bot.slack.currentProfileOf(person)).standing !== 'member') return;
  if (!(await takeGreeting(bot, channel))) return;
  const showsReplies = { threadTs: null };
  const context = contextFrom(bot, { person, channelId, madeInChannel: true, showsReplies });
  await context.reply(greeting(context.copy));
}

/**
 * Carries out what a person asked for before the bot was in the channel, with every check made anew. Returns the direct messages by which they
 * read the result. One with the ticket of a link, which must not be stored, is sent at once.
 */
async function answersTo(bot: Bot, kept: ApprovalRequest): Promise<Message[]> {
  const request = requestSchema.safeParse(kept.request).data;
  if (request === undefined) return [];
  const person = personOf(kept);
  const { channelId } = kept;
  const asked = contextFrom(bot, { person, channelId });
  const asTyped = typedLine(request, asked.copy.commands);
  const about = { line: await withMentionsNamed(bot, person, asTyped), channelId };
  const answers: Message[] = [];
  let isAnswered = false;
  const reply: CommandContext['reply'] = async (message) => {
    isAnswered = true;
    const answer = aboutKept(message, about);
    if (holdsTicket(bot, answer)) await asked.reply(answer);
    else answers.push(aboutChannel(answer, channelId));
  };
  const context = { ...asked, asTyped, reply };
  await answerFailures(bot, context, () => carryOut(bot, context, request, { options: { wasKept: true } }));
  if (!isAnswered) answers.push(keptDone(about));
  return answers;
}
