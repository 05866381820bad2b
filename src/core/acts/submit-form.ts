import { alreadyGone, withTyped } from '../../messages/subscribing/answers.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/place.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { deliveryFrom } from '../model/typed-settings.ts';
import { type FilledForm, typedIn } from '../subscribing/show-form.ts';
import { carryOutAdmitted } from './carry-out.ts';

/** Does what the typed command would do, in the form's channel. */
export async function submitForm(
  bot: Bot,
  from: CommandContext,
  form: Pick<FilledForm, 'request' | 'formContext'>,
): Promise<void> {
  const { request, formContext } = form;
  const { changeId } = formContext;
  const context = await atHome(bot, from);
  if (changeId !== null) {
    // Whether a subscription still exists is only for those who can see it. Who may change it is checked when it is changed.
    if (!context.madeInChannel) await requireMaySee(bot, context);
    const row = await subscriptions.ofWorkspace(bot.db, context.person, changeId);
    if (row?.channelId !== context.channelId) return context.reply(alreadyGone);
  }
  const asTyped = commandLine(formatRequest(typedIn(form)), context.copy.commands);
  // In the time zone that the form showed.
  const delivery = request.when && deliveryFrom(request, { when: 'live' }, formContext.zone);
  await carryOutAdmitted(bot, keepTyped(context, asTyped, { isNew: changeId === null }), request, {
    options: { delivery, staysPaused: changeId !== null },
  });
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
