import type { CarryOutRequest } from '../../core/requests/carry-out.ts';
import { notUnderstood } from '../../messages/subscribing/answers.ts';
import { readCommandName } from '../grammar/command-names.ts';
import { parseCommand } from '../grammar/parse-command.ts';
import type { ContextFrom } from '../replies/context-from.ts';
import { type CommandBody, factsOfCommand } from '../replies/facts-of.ts';

export type TakeCommandDeps = { readonly contextFrom: ContextFrom; readonly carryOut: CarryOutRequest };

/** Parses a slash command and runs it, or says which word was not understood. */
export function makeTakeCommand({ contextFrom, carryOut }: TakeCommandDeps) {
  return async (body: CommandBody): Promise<void> => {
    const named = readCommandName(body.command) ?? readCommandName('/plancast');
    if (!named) return;
    const context = contextFrom({ ...factsOfCommand(body), names: named.names });
    const parsed = parseCommand(named.command, body.text ?? '', named.names);
    if (!parsed.ok) return context.reply(notUnderstood(parsed.mistake));
    return carryOut(context, parsed.request);
  };
}
