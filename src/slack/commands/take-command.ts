import type { Bot } from '../../core/bot.ts';
import type { CommandNames } from '../../core/model/commands.ts';
import { personFields } from '../../core/model/log-fields.ts';
import { withMentionsNamed } from '../../core/model/names-of.ts';
import type { ProfileOf, SlackPerson } from '../../core/model/people.ts';
import type { CarryOutRequest, RequireAdmission } from '../../core/requests/carry-out.ts';
import { keepRequest } from '../../core/subscribing/kept-requests.ts';
import type { Log } from '../../lib/log.ts';
import { notUnderstood } from '../../messages/subscribing/answers.ts';
import { tooLong } from '../../messages/subscribing/refusals.ts';
import { brandedNames, readCommandName } from '../grammar/command-names.ts';
import { lineAsTyped, longestLine, parseCommand } from '../grammar/parse-command.ts';
import type { ContextFrom } from '../replies/context-from.ts';
import { type CommandBody, factsOfCommand } from '../replies/facts-of.ts';

export type TakeCommandDeps = {
  readonly bot: Bot;
  readonly contextFrom: ContextFrom;
  /** How the operator says that the commands are typed. */
  readonly names: CommandNames;
  /** Carries out a request of an admitted person. */
  readonly carryOut: CarryOutRequest;
  readonly requireAdmission: RequireAdmission;
  readonly profileOf: ProfileOf;
  readonly log: Pick<Log, 'warn'>;
};

/** Parses a slash command and runs it, or says which word was not understood. */
export function makeTakeCommand(deps: TakeCommandDeps) {
  const { contextFrom, names: usual, carryOut, requireAdmission, profileOf, log } = deps;
  let warned = false;

  return async (body: CommandBody): Promise<void> => {
    const branded = { command: 'plancast', names: brandedNames('/plancast') } as const;
    const { command, names } = readCommandName(body.command) ?? branded;
    const context = contextFrom({ ...factsOfCommand(body), names });
    if (command !== 'plancast' && names.subscribe !== usual.subscribe) warnOnce(context.person);
    // First, so that reading lines takes no time from the others. One that is not understood counts as a command, too.
    await requireAdmission(context);
    const here = { channelId: body.channel_id, name: body.channel_name ?? null };
    const { text = '', user_id: me } = body;
    if (text.length > longestLine) return context.reply(tooLong);
    const parsed = parseCommand(command, text, names, me, here);
    if (parsed.ok) {
      const asTyped = lineAsTyped(parsed.request, { command, text, me }, names);
      return carryOut({ ...context, asTyped }, parsed.request);
    }
    const { mistake } = parsed;
    const named = (text: string) => withMentionsNamed(profileOf, context.person, text);
    const value = mistake.correction && (await keepRequest(deps.bot, mistake.correction));
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
    log.warn(
      personFields(person),
      'people type the commands under another name than SLACK_SUBSCRIBE_COMMAND says',
    );
  }
}
