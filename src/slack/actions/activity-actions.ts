import type { CommandContext } from '../../core/access/command-context.ts';
import type { RequireMaySee } from '../../core/access/who-may.ts';
import type { Why } from '../../core/explaining/why.ts';
import { readMenuValue } from '../../messages/activity/menu.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import type { Handler, Handlers } from './press.ts';

export type ActivityActionDeps = {
  readonly admitted: (handler: Handler) => Handler;
  readonly requireMaySee: RequireMaySee;
  readonly why: Pick<Why, 'message'>;
  /** The subscription of an event of the channel; null where there is no such event any more. */
  readonly subscriptionIdOf: (context: CommandContext, eventId: string) => Promise<string | null>;
  /** Opens the form of the subscription whose id is the value. */
  readonly editSubscription: Handler;
};

/** What the menu of an activity message does. An event is looked up in the channel of the press alone: its number proves nothing. */
export function activityActions(deps: ActivityActionDeps): Handlers {
  const explain: Handler = async ({ context, messageTs }) => {
    if (messageTs === null) return;
    await deps.requireMaySee(context);
    await deps.why.message(context, { messageTs, isMine: true });
  };

  return {
    [actionIds.activityMenu]: deps.admitted(async (press) => {
      const chosen = readMenuValue(press.value);
      if (chosen?.act === 'why') return explain(press);
      if (chosen?.act !== 'edit') return;
      const id = await deps.subscriptionIdOf(press.context, chosen.eventId);
      if (id === null) return press.context.reply(alreadyGone());
      await deps.editSubscription({ ...press, value: id });
    }),
  };
}
