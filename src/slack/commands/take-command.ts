import type { Bot } from '../../core/bot.ts';
import type { CommandNames } from '../../core/model/commands.ts';
import { personFields } from '../../core/model/log-fields.ts';
import { withMentionsNamed } from '../../core/model/names-of.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import { requireAdmission } from '../../core/requests/admission.ts';
import { carryOutAdmitted } from '../../core/requests/carry-out.ts';
import { keepRequest } from '../../core/subscribing/kept-requests.ts';
import { notUnderstood } from '../../messages/subscribing/answers.ts';
import { tooLong } from '../../messages/subscribing/refusals.ts';
import { brandedNames, readCommandName } from '../grammar/command-names.ts';
import { lineAsTyped, longestLine, parseCommand } from '../grammar/parse-command.ts';
import { type CommandBody, factsOfCommand } from '../replies/facts-of.ts';

/**
 * Parses a slash command and runs it, or says which word was not understood.
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
    const here = { channelId: body.channel_id, name: body.channel_name ?? null };
    const { text = '', user_id: me } = body;
    if (text.length > longestLine) return context.reply(tooLong);
    const parsed = parseCommand(command, text, names, me, here);
    if (parsed.ok) {
      const asTyped = lineAsTyped(parsed.request, { command, text, me }, names);
      return carryOutAdmitted(bot, { ...context, asTyped }, parsed.request);
    }
    const { mistake } = parsed;
    const named = (text: string) => withMentionsNamed(bot.slack.profileOf, context.person, text);
    const value = mistake.correction && (await keepRequest(bot, mistake.correction));
    return context.reply(
      notUnderstood({
        expected: mistake.expected,
        word: mistake.word && (await named(mistake.word)),
        after: mistake.after && (await named(mistake.after)),
        example: await named(mistake.example),
        leftOut: await named(mistake.leftOut),
        value,
      }),
    );
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
