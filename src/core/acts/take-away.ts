import { nothingDone } from '../../messages/subscribing/answers.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { contextFields } from '../model/log-fields.ts';
import type { Pressed } from './row.ts';

/** Removes the question whose button was pressed. */
export async function takeAway(
  { slack, log }: Bot,
  context: CommandContext,
  pressed: Pressed | undefined,
): Promise<void> {
  // Slack has no way for a bot to close a form.
  if (pressed?.view) return context.reply(nothingDone);
  if (context.responseUrl === null || pressed?.inPublicMessage) return;
  // After a second press the question is already gone. That must not stop, or seem to stop, what the button does.
  await slack.answer(context.responseUrl, null, { remove: true }).catch((error: unknown) => {
    log.warn({ err: error, ...contextFields(context) }, 'could not remove an answered question');
  });
}
