import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { RequireMayChange } from '../access/who-may.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { FormContext } from '../subscribing/form-context.ts';
import type { CarryOutRequest } from './carry-out.ts';

export type SubmitFormDeps = {
  readonly subscriptions: Pick<Subscriptions, 'ofWorkspace'>;
  readonly requireMayChange: RequireMayChange;
  readonly carryOut: CarryOutRequest;
};

/** Does what the typed command would do, in the channel that the form is for. */
export type SubmitForm = (
  context: CommandContext,
  form: {
    readonly request: SubscribeRequest;
    readonly formContext: FormContext;
    readonly anyway: boolean;
  },
) => Promise<void>;

export function makeSubmitForm(deps: SubmitFormDeps): SubmitForm {
  return async (sent, { request, formContext, anyway }) => {
    const { change } = formContext;
    // Only what was opened in the channel itself shows by that who is in it.
    const isThere = formContext.channelId !== null && formContext.responseUrl !== null;
    const context = isThere ? sent : { ...sent, elsewhere: true };
    if (!isThere && !(await deps.requireMayChange(context, request))) return;
    if (change !== null) {
      const row = await deps.subscriptions.ofWorkspace(context.person, change.id);
      if (row?.channelId !== context.channelId) return context.reply(alreadyGone());
    }
    await deps.carryOut(context, request, { anyway, staysPaused: change !== null });
  };
}
