import { partlyUnderstood } from '../../messages/subscribing/questions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { withMentionsNamed } from '../model/people.ts';
import type { Mistake, Request } from '../model/request.ts';
import { keepAnswer, keepRequest } from './kept-requests.ts';

/** Answers a line that does not run at once, in private: nothing of it is done before the person presses a button. */
export async function answerMistake(bot: Bot, context: CommandContext, mistake: Mistake): Promise<void> {
  const { understood, leftOut, faults, choices, lacks } = mistake;
  const named = (text: string) => withMentionsNamed(bot.slack.profileOf, context.person, text);
  const offer = async (request: Request) => ({
    line: await named(commandLine(formatRequest(request), context.copy.commands)),
    value: await keepAnswer(bot, request),
  });
  const asked = understood && (await offer(understood));
  const form =
    understood?.act === 'subscribe'
      ? await keepRequest(bot, { act: 'fill-form', request: understood })
      : null;
  await context.reply(
    partlyUnderstood({
      understood: asked && { ...asked, form },
      leftOut: await named(leftOut),
      faults: await Promise.all(
        faults.map(async (fault) => ({ ...fault, value: fault.value && (await named(fault.value)) })),
      ),
      choices: await Promise.all(
        choices.map(async ({ words, request }) => ({ ...(await offer(request)), label: words })),
      ),
      lacks,
    }),
  );
}
