import type { CommandContext } from '../../core/access/command-context.ts';
import { requireAdmission } from '../../core/acts/admission.ts';
import { carryOutAdmitted } from '../../core/acts/carry-out.ts';
import type { Bot } from '../../core/bot.ts';
import type { Command } from '../../core/model/commands.ts';
import type { Mistake, Parsed } from '../../core/model/mistake.ts';
import { answerMistake } from '../../core/subscribing/answer-mistake.ts';
import { readWithKnown } from '../../core/subscribing/read-with-known.ts';
import { tooLong } from '../../messages/subscribing/refusals.ts';
import { longestLine, parseCommand } from '../grammar/parse-command.ts';

/**
 * Answers a message that mentions the bot, in private: if it names what to follow, with what was understood of it, otherwise with help.
 * Nothing of it runs before a button is pressed.
 * @param text the message without the mention, as Slack sent it
 */
export async function takeMention(bot: Bot, context: CommandContext, text: string): Promise<void> {
  await requireAdmission(bot, context);
  if (text.length > longestLine) return context.reply(tooLong);
  const me = context.person.userId;
  const read = async (command: Command) =>
    unrun(await readWithKnown(bot, context, (known) => parseCommand(command, text, { me, ...known })));
  // Other words than verbs come first in a sentence, and some of them are verbs in a command.
  for (const command of ['plancast', 'subscribe'] as const) {
    const mistake = await read(command);
    if (namesTarget(mistake)) return answerMistake(bot, context, mistake);
  }
  return carryOutAdmitted(bot, context, { act: 'help' });
}

/** Returns what was understood, also of a line that would run at once if it were a command. */
function unrun(parsed: Parsed): Mistake {
  if (!parsed.ok) return parsed.mistake;
  return { understood: parsed.request, leftOut: '', faults: [], choices: [], lacks: null };
}

function namesTarget({ understood, choices }: Mistake): boolean {
  const requests = [understood, ...choices.map(({ request }) => request)];
  return requests.some((request) => request !== null && 'target' in request);
}
