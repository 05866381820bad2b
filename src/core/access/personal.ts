import { personalGreeting } from '../../messages/subscribing/answers.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import type { Bot } from '../bot.ts';
import type { Act, AnyRequest } from '../model/any-request.ts';
import { isDirect } from '../model/people.ts';
import { canBePersonal } from '../model/request.ts';
import { DirectMessageRefused } from '../slack.ts';
import type { CommandContext } from './command-context.ts';
import { Refusal } from './refusal.ts';

/**
 * Returns the context of the conversation a request is for: where it was typed, or for `to me` the person's direct message with the bot.
 * The bot only learns which one is its own by writing to the person, so it introduces itself there the first time. Throws a `Refusal` if
 * Slack does not let it.
 */
export async function placeOf(
  bot: Bot,
  context: CommandContext,
  request: AnyRequest,
): Promise<CommandContext> {
  const isPersonal = canBePersonal(request) && request.personal === true;
  if (!isPersonal && !(isDirect(context.channelId) && isAboutPlace(request))) return context;
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

const aboutPlace: readonly Act[] = ['mute', 'unmute', 'doctor', 'why'];

/** Returns whether a request is about the conversation it is typed in. */
function isAboutPlace(request: AnyRequest): boolean {
  return canBePersonal(request) || aboutPlace.includes(request.act);
}
