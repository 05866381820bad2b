import { requireAdmission } from '../../core/acts/admission.ts';
import { carryOutAdmitted } from '../../core/acts/carry-out.ts';
import type { Bot } from '../../core/bot.ts';
import { type CommandNames, commandLine } from '../../core/model/commands.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import { personFields } from '../../core/model/log-fields.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import { answerMistake } from '../../core/subscribing/answer-mistake.ts';
import { readWithKnown } from '../../core/subscribing/read-with-known.ts';
import { tooLong } from '../../messages/subscribing/refusals.ts';
import { brandedNames, readCommandName } from '../grammar/command-names.ts';
import { longestLine, parseCommand } from '../grammar/parse-command.ts';
import { type CommandBody, factsOfCommand } from '../replies/facts-of.ts';

/**
 * Parses a slash command and runs it, or answers what was understood and what was left out.
 * @param usual how the operator says that the commands are typed
 */
export function makeTakeCommand(bot: Bot, usual: CommandNames) {
  let warned = false;

  return async (body: CommandBody): Promise<void> => {
    const branded = { command: 'plancast', names: brandedNames('/plancast') } as const;
    const { command, names } = readCommandName(body.command) ?? branded;
    const context = bot.contextFrom({ ...factsOfCommand(body), names });
    if (command !== 'plancast' && names.subscribe !== usual.subscribe) warnOnce(context.person);
    // First, so that reading lines takes no time from the others. One that is not understood counts as a command, too.
    await requireAdmission(bot, context);
    const { text = '', user_id: me } = body;
    if (text.length > longestLine) return context.reply(tooLong);
    const parsed = await readWithKnown(bot, context, (known) =>
      parseCommand(command, text, { me, ...known }),
    );
    if (!parsed.ok) return answerMistake(bot, context, parsed.mistake);
    const asTyped = commandLine(formatRequest(parsed.request), context.copy.commands);
    return carryOutAdmitted(bot, { ...context, asTyped }, parsed.request);
  };

  /** Messages that do not answer a typed command use the setting, and Slack does not know the commands that it names. */
  function warnOnce(person: SlackPerson): void {
    if (warned) return;
    warned = true;
    bot.log.warn(
      personFields(person),
      'people type the commands under another name than SLACK_SUBSCRIBE_COMMAND says',
    );
  }
}
