import type { SlashCommand } from '@slack/bolt';
import { type CommandContext, contextFrom } from '../../core/access/command-context.ts';
import { carryOutAdmitted, requireAdmission } from '../../core/acts/carry-out.ts';
import type { Bot } from '../../core/bot.ts';
import { typedLine } from '../../core/model/format-request.ts';
import type { Mistake, Parsed } from '../../core/model/request.ts';
import type { Command } from '../../core/model/verbs.ts';
import { answerMistake, readWithKnown } from '../../core/subscribing/read-with-known.ts';
import { tooLong } from '../../messages/subscribing/refusals.ts';
import { brandedNames, readCommandName } from '../grammar/command-names.ts';
import { isTooLong, parseCommand } from '../grammar/parse-command.ts';
import { factsOfCommand } from '../replies/facts-of.ts';

/** Parses a slash command and runs it, or answers what was understood and what was left out. */
export async function takeCommand(bot: Bot, body: SlashCommand): Promise<void> {
  const branded = { command: 'plancast', names: brandedNames('/plancast') } as const;
  const { command, names } = readCommandName(body.command) ?? branded;
  const context = contextFrom(bot, { ...factsOfCommand(body), names });
  // First, so that reading lines takes no time from the others. One that is not understood counts as a command, too.
  await requireAdmission(bot, context);
  const { text } = body;
  if (isTooLong(text)) return context.reply(tooLong);
  const parsed = await understand(bot, context, command, text);
  if (!parsed.ok) return answerMistake(bot, context, parsed.mistake);
  const asTyped = typedLine(parsed.request, context.copy.commands);
  return carryOutAdmitted(bot, { ...context, asTyped }, parsed.request);
}

/**
 * Answers a message that mentions the bot, in private: if it names what to follow, with what was understood of it, otherwise with help.
 * Nothing of it runs before a button is pressed.
 * @param text the message without the mention, as Slack sent it
 * @param takeTurn returns false if the person got such an answer a moment ago: then there is none
 */
export async function takeMention(
  bot: Bot,
  context: CommandContext,
  text: string,
  takeTurn: (answer: 'understood' | 'help') => Promise<boolean>,
): Promise<void> {
  try {
    await requireAdmission(bot, context);
  } catch (refusal) {
    if (await takeTurn('help')) throw refusal;
    return;
  }
  // Other words than verbs come first in a sentence, and some of them are verbs in a command.
  for (const command of isTooLong(text) ? [] : (['plancast', 'subscribe'] as const)) {
    const mistake = unrun(await understand(bot, context, command, text));
    if (!namesTarget(mistake)) continue;
    if (await takeTurn('understood')) await answerMistake(bot, context, mistake);
    return;
  }
  if (!(await takeTurn('help'))) return;
  return isTooLong(text) ? context.reply(tooLong) : carryOutAdmitted(bot, context, { act: 'help' });
}

/** Reads what follows a command, with what its person may know of. */
function understand(bot: Bot, context: CommandContext, command: Command, text: string): Promise<Parsed> {
  const readWith = { me: context.person.userId, templates: bot.config.urlTemplates };
  return readWithKnown(bot, context, (known) => parseCommand(command, text, { ...readWith, ...known }));
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
