import type { CommandContext } from '../../core/access/command-context.ts';
import { requireMaySee } from '../../core/access/who-may.ts';
import type { Bot } from '../../core/bot.ts';
import { type PointedAt, whyMessage } from '../../core/explaining/why.ts';
import { requireAdmission } from '../../core/requests/admission.ts';
import { openFormAnywhere } from '../../core/subscribing/show-form.ts';

/** Maps the `callback_id` of each shortcut in the composer and in search to its handler. */
export function shortcutTable(
  bot: Bot,
): Readonly<Record<string, (context: CommandContext) => Promise<void>>> {
  return {
    subscribe: async (context) => {
      await requireAdmission(bot, context);
      await openFormAnywhere(bot, context);
    },
  };
}

/** Maps the `callback_id` of each shortcut in a message's menu to its handler. */
export function messageShortcutTable(
  bot: Bot,
): Readonly<Record<string, (context: CommandContext, message: PointedAt) => Promise<void>>> {
  return {
    why: async (context, message) => {
      await requireAdmission(bot, context);
      await requireMaySee(bot, context);
      await whyMessage(bot, context, message);
    },
  };
}
