import { personalGreeting } from '../../messages/subscribing/answers.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import { isDirect } from '../model/people.ts';
import { canBePersonal, type Request } from '../model/request.ts';
import { DirectMessageRefused } from '../slack.ts';
import type { AccessRoomDeps } from './access-deps.ts';
import type { CommandContext } from './command-context.ts';
import { Refusal } from './refusal.ts';

/** Returns the context of the conversation a request is for: where it was typed, or the person's direct message with the bot. */
export type PlaceOf = (context: CommandContext, request: Request) => Promise<CommandContext>;

/**
 * Finds the direct message for `to me`, and for what is typed in a direct message. The bot only learns which one is its own by writing
 * to the person, so it introduces itself there the first time. Throws a `Refusal` if Slack does not let it.
 */
export function makePlaceOf({ directMessages, directMessage }: AccessRoomDeps): PlaceOf {
  return async (context, request) => {
    const isPersonal = canBePersonal(request) && request.personal === true;
    if (!isPersonal && !(isDirect(context.channelId) && isAboutPlace(request))) return context;
    const own = (await directMessages.of(context.person)) ?? (await introduce(context));
    return isPersonal && own !== null ? context.about(own) : context;
  };

  async function introduce(context: CommandContext): Promise<string | null> {
    const { person } = context;
    await directMessage(person, personalGreeting).catch((error: unknown) => {
      throw error instanceof DirectMessageRefused
        ? new Refusal(context, refused('no direct message'))
        : error;
    });
    return directMessages.of(person);
  }
}

/** Returns whether a request is about the conversation it is typed in. */
function isAboutPlace(request: Request): boolean {
  return (canBePersonal(request) && request.act !== 'settings') || request.act === 'doctor';
}
