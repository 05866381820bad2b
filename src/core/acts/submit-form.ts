import { alreadyGone, withTyped } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/home-workspace.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { deliveryFrom } from '../model/typed-settings.ts';
import { brief } from '../subscribing/brief.ts';
import type { FilledForm } from '../subscribing/show-form.ts';
import { carryOutAdmitted } from './carry-out.ts';

/** Does what the typed command would do, in the form's channel. */
export async function submitForm(
  bot: Bot,
  from: CommandContext,
  { request, formContext }: Pick<FilledForm, 'request' | 'formContext'>,
): Promise<void> {
  const { changeId } = formContext;
  const context = await atHome(bot, from);
  let before: Subscription | null = null;
  if (changeId !== null) {
    // Whether a subscription still exists is only for those who can see it. Who may change it is checked when it is changed.
    if (!context.madeInChannel) await requireMaySee(bot, context);
    before = await subscriptions.ofWorkspace(bot.db, context.person, changeId);
    if (before?.channelId !== context.channelId) return context.reply(alreadyGone);
  }
  const asTyped = commandLine(
    formatRequest(brief(request, formContext.usual, before)),
    context.copy.commands,
  );
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
