import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { withTyped } from '../../messages/subscribing/with-typed.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { RequireMayChange } from '../access/who-may.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { brief } from '../subscribing/brief.ts';
import type { FormContext } from '../subscribing/form-context.ts';
import type { CarryOutRequest } from './carry-out.ts';

export type SubmitFormDeps = {
  readonly subscriptions: Pick<Subscriptions, 'ofWorkspace'>;
  readonly requireMayChange: RequireMayChange;
  readonly carryOut: CarryOutRequest;
  /** Returns the context in which a request about a channel takes effect. */
  readonly atHome: (context: CommandContext) => Promise<CommandContext>;
};

/** Does what the typed command would do, in the form's channel. */
export type SubmitForm = (
  context: CommandContext,
  form: {
    readonly request: SubscribeRequest;
    readonly formContext: FormContext;
    readonly anyway: boolean;
  },
) => Promise<void>;

export function makeSubmitForm(deps: SubmitFormDeps): SubmitForm {
  return async (from, { request, formContext, anyway }) => {
    const { change } = formContext;
    const sent = await deps.atHome(from);
    // Only a form opened in a channel proves that the person is in it.
    const isThere = formContext.channelId !== null && formContext.responseUrl !== null;
    const context = isThere ? sent : { ...sent, elsewhere: true };
    if (!isThere) await deps.requireMayChange(context, request);
    if (change !== null) {
      const row = await deps.subscriptions.ofWorkspace(context.person, change.id);
      if (row?.channelId !== context.channelId) return context.reply(alreadyGone);
    }
    await deps.carryOut(keepTyped(context, request, formContext), request, {
      anyway,
      staysPaused: change !== null,
    });
  };
}

/** Makes other replies repeat what was filled in as a command to run again, because the form is closed by now. */
function keepTyped(
  context: CommandContext,
  request: SubscribeRequest,
  { change, usual }: FormContext,
): CommandContext {
  const asTyped = commandLine(formatRequest(brief(request, usual)), context.copy.commands);
  if (change !== null) return { ...context, asTyped };
  return {
    ...context,
    asTyped,
    reply: (message, options) => context.reply(withTyped(message, asTyped), options),
  };
}
