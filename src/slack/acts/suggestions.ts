import type { PlainTextOption } from '@slack/types';
import type { CommandContext } from '../../core/access/command-context.ts';
import type { Bot } from '../../core/bot.ts';
import { offerPeople } from '../../core/subscribing/offer-people.ts';
import { offerTargets } from '../../core/subscribing/offer-targets.ts';
import { pickers } from '../../messages/subscribing/subscribe-form.ts';
import { parseShown } from '../grammar/parse-command.ts';

type Suggest = (bot: Bot, context: CommandContext, typed: string) => Promise<PlainTextOption[]>;

/** What a field offers for what was typed in it, by `action_id`. It shows only what the person may be shown, and is not counted as a command. */
export const suggestions: Readonly<Record<string, Suggest>> = {
  [pickers.target]: (bot, context, typed) =>
    offerTargets(bot, context, typed, (text, known) =>
      parseShown(text, { me: context.person.userId, ...known }),
    ),
  [pickers.people]: offerPeople,
};
