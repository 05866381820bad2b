import { exclusionPressed } from '../../core/access/find-pressed.ts';
import { requireMayChange } from '../../core/access/who-may.ts';
import type { Bot } from '../../core/bot.ts';
import { showAgain } from '../../core/channels/exclude.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { admitting, findPressed, type Handler, type Handlers } from './press.ts';

/**
 * The button that ends an exclusion: of a muted item or a hidden person.
 * @param listAgain redraws the list or Home tab that contains the button
 */
export function exclusionActions(bot: Bot, listAgain: Handler): Handlers {
  return {
    [actionIds.showAgain]: admitting(bot)(async (press) => {
      const found = await findPressed(bot, press, press.value, exclusionPressed);
      if (!found) return press.context.reply(alreadyGone);
      await requireMayChange(bot, found.context, null);
      await showAgain(bot, found.context, found.row);
      await listAgain(press);
    }),
  };
}
