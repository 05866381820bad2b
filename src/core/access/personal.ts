import { personalGreeting } from '../../messages/subscribing/answers.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import type { Bot } from '../bot.ts';
import { isDirect } from '../model/people.ts';
import { DirectMessageRefused } from '../slack.ts';
import type { CommandContext } from './command-context.ts';
import { Refusal } from './refusal.ts';

/**
 * Returns the context of the conversation a request is for: where it was made, or for `to me` the person's direct message with the bot.
 * The bot only learns which one is its own by writing to the person, so it introduces itself there the first time. Throws a `Refusal` if
 * Slack does not let it.
 */
export async function placeOf(
  bot: Bot,
  context: CommandContext,
  { isPersonal, isAboutChannel }: { readonly isPersonal: boolean; readonly isAboutChannel: boolean },
): Promise<CommandContext> {
  if (!isPersonal && !(isDirect(context.channelId) && isAboutChannel)) return context;
  const direct = (await directMessages.of(bot.db, context.person)) ?? (await introduce(bot, context));
  return isPersonal && direct !== null ? context.about(direct) : context;
}

async function introduce({ db, slack }: Bot, context: CommandContext): Promise<string | null> {
  const { person } = context;
  await slack.directMessage(person, personalGreeting).catch((error: unknown) => {
    throw error instanceof DirectMessageRefused ? new Refusal(context, refused('no direct message')) : error;
  });
  return directMessages.of(db, person);
}
