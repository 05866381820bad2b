import type { AuditAct } from '../../messages/admin/audit.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { writeAudit } from '../access/audit.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { isDirect } from '../model/people.ts';
import { settle } from '../settling/settle.ts';

/** What a change by a person led to: an announcement in the channel, or only a reply because nothing had to change. */
export type Acted =
  | { readonly reply: Message }
  | {
      /** Null if what follows from the change is announced already. */
      readonly announcement: Message | null;
      /** The announcement replaces a pending one on the same subject. */
      readonly about?: string | undefined;
      readonly audit: AuditAct;
      /** Ids of what changed; by default the channel. */
      readonly changed?: readonly string[];
    };

/**
 * Makes a change for a person in one transaction with its announcement and its lines in the audit log, and settles the channel. Then redraws
 * their Home tab. Where the channel is closed to the bot, it gets the announcement only once it is open again, so the person reads it at
 * once: without an answer the command would seem to have done nothing.
 * @param change must ask neither Slack nor the service
 * @param owner user id of the subscription's owner, if it is about one
 */
export async function act(
  bot: Bot,
  context: CommandContext,
  change: (bot: Bot, by: Who) => Promise<Acted>,
  owner?: string,
): Promise<void> {
  const channel = channelOf(context);
  const by = await whoActs(bot, context, owner);
  const outcome = await settle(bot, channel, async (bot) => {
    const outcome = await change(bot, by);
    if ('reply' in outcome) return outcome;
    const { announcement, about, audit, changed = [channel.channelId] } = outcome;
    if (announcement) await announce(bot, channel, announcement, about);
    for (const subject of changed) await writeAudit(bot, context, audit, subject);
    return outcome;
  });
  await refreshHome(bot, context.person);
  if ('reply' in outcome) return context.reply(outcome.reply);
  const { announcement } = outcome;
  const lane = announcement && (await lanes.find(bot.db, channel));
  if (lane && lane.pausedReason !== null) await context.reply(announcement);
}

/**
 * Returns how an announcement names the person who acted: by name in a channel, as "You" in their own direct message with the bot.
 * `owner`: user id of the subscription's owner, because an admin can pause what is posted in another person's direct message.
 */
async function whoActs(
  { slack }: Bot,
  { person, channelId }: CommandContext,
  owner: string = person.userId,
): Promise<Who> {
  const { name } = await slack.profileOf(person);
  return { userId: person.userId, name, isReader: isDirect(channelId) && owner === person.userId };
}
