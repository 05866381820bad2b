import type { CarryOutRequest, RequireAdmission } from '../../core/requests/carry-out.ts';
import type { KeptRequests } from '../../core/subscribing/kept-requests.ts';
import { notUnderstood } from '../../messages/subscribing/answers.ts';
import { brandedNames, readCommandName } from '../grammar/command-names.ts';
import { parseCommand } from '../grammar/parse-command.ts';
import type { ContextFrom } from '../replies/context-from.ts';
import { type CommandBody, factsOfCommand } from '../replies/facts-of.ts';

export type TakeCommandDeps = {
  readonly contextFrom: ContextFrom;
  readonly carryOut: CarryOutRequest;
  readonly requireAdmission: RequireAdmission;
  /** Stores the corrected request so that a button can run it. */
  readonly keepRequest: KeptRequests['keep'];
};

/** Parses a slash command and runs it, or says which word was not understood. */
export function makeTakeCommand({ contextFrom, carryOut, requireAdmission, keepRequest }: TakeCommandDeps) {
  return async (body: CommandBody): Promise<void> => {
    const branded = { command: 'plancast', names: brandedNames('/plancast') } as const;
    const { command, names } = readCommandName(body.command) ?? branded;
    const context = contextFrom({ ...factsOfCommand(body), names });
    const parsed = parseCommand(command, body.text ?? '', names, body.user_id);
    if (parsed.ok) return carryOut(context, parsed.request);
    // A line that was not understood counts as a command too, and guests get no help with it.
    await requireAdmission(context);
    const { mistake } = parsed;
    const value = mistake.correction && (await keepRequest(mistake.correction));
    return context.reply(notUnderstood({ ...mistake, value }));
  };
}
