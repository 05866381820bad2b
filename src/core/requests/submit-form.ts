import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { withTyped } from '../../messages/subscribing/with-typed.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/home-workspace.ts';
import { requireMaySee } from '../access/who-may.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { deliveryFrom } from '../model/typed-settings.ts';
import { brief } from '../subscribing/brief.ts';
import type { FormContext } from '../subscribing/form-context.ts';
import type { CarryOutRequest } from './carry-out.ts';
import type { RequestsRoomDeps } from './requests-deps.ts';

/** Does what the typed command would do, in the form's channel. */
export type SubmitForm = (
  context: CommandContext,
  form: {
    readonly request: SubscribeRequest;
    readonly formContext: FormContext;
  },
) => Promise<void>;

export function makeSubmitForm(deps: RequestsRoomDeps & { readonly carryOut: CarryOutRequest }): SubmitForm {
  return async (from, { request, formContext }) => {
    const { change } = formContext;
    const context = await atHome(deps.bot, from);
    let before: Subscription | null = null;
    if (change !== null) {
      // Whether a subscription still exists is only for those who can see it. Who may change it is checked when it is changed.
      if (!context.madeInChannel) await requireMaySee(deps.bot, context);
      before = await deps.subscriptions.ofWorkspace(context.person, change.id);
      if (before?.channelId !== context.channelId) return context.reply(alreadyGone);
    }
    const asTyped = commandLine(
      formatRequest(brief(request, formContext.usual, before)),
      context.copy.commands,
    );
    await deps.carryOut(keepTyped(context, asTyped, { isNew: change === null }), request, {
      // In the time zone that the form showed.
      delivery: request.when && deliveryFrom(request, { when: 'live' }, formContext.zone),
      staysPaused: change !== null,
    });
  };
}

/** Makes other replies repeat what was filled in as a command to run again, because the form is closed by now. */
function keepTyped(
  context: CommandContext,
  asTyped: string,
  { isNew }: { readonly isNew: boolean },
): CommandContext {
  if (!isNew) return { ...context, asTyped };
  return {
    ...context,
    asTyped,
    reply: (message, options) => context.reply(withTyped(message, asTyped), options),
  };
}
