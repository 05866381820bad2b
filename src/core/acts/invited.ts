import { dayMs, earlier } from '../../lib/durations.ts';
import { aboutKept, greeting, keptDone } from '../../messages/subscribing/invitations.ts';
import type { ApprovalRequest } from '../../store/tables/requests.ts';
import * as requests from '../../store/tables/requests.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { answerFailure } from '../access/answer-failure.ts';
import type { CommandContext } from '../access/command-context.ts';
import { answerRefusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { openChannel } from '../channels/channel-facts.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import { isChannelReason } from '../model/pause-reason.ts';
import { type Channel, personOf } from '../model/people.ts';
import { requestSchema } from '../model/request.ts';
import { takeOnceIn } from './admission.ts';
import { carryOut } from './carry-out.ts';

/**
 * The bot was invited to a channel: its subscriptions resume, what was kept until then is carried out, and whoever invited it is greeted,
 * unless one of these is what they invited it for.
 * @param inviter null if Slack names nobody
 * @param at the event's `event_ts`
 */
export async function invited(
  bot: Bot,
  channel: Channel,
  { inviter, at }: { readonly inviter: string | null; readonly at: string },
): Promise<void> {
  const resumes = (await subscriptions.ofChannel(bot.db, channel)).some(
    ({ state, reason }) => state === 'paused' && isChannelReason(reason),
  );
  await openChannel(bot, channel, { ended: 'out', at });
  const kept = await requests.takeKept(bot.db, channel, earlier(bot.clock.now(), dayMs));
  for (const each of kept) await carryOutKept(bot, each);
  if (inviter === null || resumes || kept.some(({ userId }) => userId === inviter)) return;
  await greet(bot, channel, inviter);
}

async function greet(bot: Bot, channel: Channel, userId: string): Promise<void> {
  const { channelId, ...workspace } = channel;
  const person = { ...workspace, userId };
  if ((await bot.slack.currentProfileOf(person)).standing !== 'member') return;
  if (!(await takeOnceIn(bot, `greeting:${channel.teamId}/${channelId}`, dayMs))) return;
  const showsReplies = { threadTs: null };
  const context = bot.contextFrom({
    person,
    channelId,
    madeInChannel: true,
    responseUrl: null,
    showsReplies,
  });
  await context.reply(greeting(context.copy));
}

/** Carries out what a person asked for before the bot was in the channel, with every check made anew. They read the result in a direct message. */
async function carryOutKept(bot: Bot, kept: ApprovalRequest): Promise<void> {
  const request = requestSchema.safeParse(kept.request).data;
  if (request === undefined) return;
  const person = personOf(kept);
  const { channelId } = kept;
  const asked = bot.contextFrom({ person, channelId, madeInChannel: false, responseUrl: null });
  const asTyped = commandLine(formatRequest(request), asked.copy.commands);
  const about = { line: await withMentionsNamed(bot.slack.profileOf, person, asTyped), channelId };
  let isAnswered = false;
  const reply: CommandContext['reply'] = (message) => {
    isAnswered = true;
    return asked.reply(aboutKept(message, about));
  };
  const context = { ...asked, asTyped, reply };
  try {
    await answerRefusal(() => carryOut(bot, context, request, { options: { wasKept: true } }));
    if (!isAnswered) await asked.reply(keptDone(about));
  } catch (error) {
    await answerFailure(bot, error, context);
  }
}
