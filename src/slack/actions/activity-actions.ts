import type { CommandContext } from '../../core/access/command-context.ts';
import { requireMayChange, requireMaySee } from '../../core/access/who-may.ts';
import type { Bot } from '../../core/bot.ts';
import { muteItem, type ShownEvent, skipPerson } from '../../core/channels/exclude.ts';
import { shownEvent, subscriptionIdOf } from '../../core/delivering/shown-event.ts';
import { whyMessage } from '../../core/explaining/why.ts';
import { carryOutAdmitted } from '../../core/requests/carry-out.ts';
import { followRequest } from '../../core/subscribing/follow-request.ts';
import { type MenuAct, readMenuValue } from '../../messages/activity/menu.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { cannotFollow, changeForgotten, itemDeleted } from '../../messages/subscribing/exclusions.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { admitting, type Handler, type Handlers, type Press } from './press.ts';
import { editRequest } from './subscription-actions.ts';

/**
 * The menu of an activity message. Events are only looked up in the channel of the press, since an event id proves nothing.
 * @param editSubscription opens the form of the subscription whose id is the value
 */
export function activityActions(bot: Bot, editSubscription: Handler): Handlers {
  const explain = async ({ context, messageTs }: Press): Promise<void> => {
    if (messageTs === null) return;
    await requireMaySee(bot, context);
    await whyMessage(bot, context, { messageTs, isMine: true });
  };

  const edit = async (press: Press, eventId: string): Promise<void> => {
    const id = await subscriptionIdOf(bot, press.context, eventId);
    if (id === null) return press.context.reply(alreadyGone);
    await editSubscription({ ...press, value: id });
  };

  /** Wraps an act that changes what is posted. It needs the same permission as editing the subscription. */
  const onEvent =
    (act: (bot: Bot, context: CommandContext, shown: ShownEvent) => Promise<void>) =>
    async ({ context }: Press, eventId: string): Promise<void> => {
      const shown = await shownEvent(bot, context, eventId);
      if (shown === null) return context.reply(changeForgotten);
      await requireMayChange(bot, context, editRequest(shown.event.subscription));
      await act(bot, context, shown);
    };

  const acts: Record<MenuAct, (press: Press, eventId: string) => Promise<void>> = {
    mute: onEvent(muteItem),
    skip: onEvent(skipPerson),
    // What they follow is their own, so seeing the channel is enough.
    follow: async ({ context }, eventId) => {
      await requireMaySee(bot, context);
      const shown = await shownEvent(bot, context, eventId);
      if (shown === null) return context.reply(changeForgotten);
      if (shown.isGone) return context.reply(itemDeleted);
      const request = followRequest(shown);
      await (request === null ? context.reply(cannotFollow) : carryOutAdmitted(bot, context, request));
    },
    edit,
    why: explain,
  };

  return {
    [actionIds.activityMenu]: admitting(bot)(async (press) => {
      const chosen = readMenuValue(press.value);
      if (chosen) await acts[chosen.act](press, chosen.eventId);
    }),
  };
}
