import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Asked } from '../access/command-context.ts';
import type { MayChange } from '../access/may-change.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { FormContext } from '../subscribing/form-context.ts';
import type { CarryOutRequest } from './carry-out.ts';

export type SubmitFormDeps = {
  readonly subscriptions: Pick<Subscriptions, 'ofWorkspace'>;
  readonly mayChange: MayChange;
  readonly carryOut: CarryOutRequest;
};

/** Does what the typed command would do, in the channel that the form is for. */
export type SubmitForm = (
  asked: Asked,
  form: {
    readonly request: SubscribeRequest;
    readonly context: FormContext;
    readonly anyway: boolean;
  },
) => Promise<void>;

export function makeSubmitForm(deps: SubmitFormDeps): SubmitForm {
  return async (sent, { request, context, anyway }) => {
    const { change } = context;
    // Only what was opened in the channel itself shows by that who is in it.
    const isThere = context.channelId !== null && context.responseUrl !== null;
    const asked = isThere ? sent : { ...sent, elsewhere: true };
    if (!isThere && !(await deps.mayChange(asked, request))) return;
    if (change !== null) {
      const row = await deps.subscriptions.ofWorkspace(asked.person, change.id);
      if (row?.channelId !== asked.channelId) return asked.reply(alreadyGone());
    }
    await deps.carryOut(asked, request, { anyway, staysPaused: change !== null });
  };
}
