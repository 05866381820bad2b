import type { CommandContext } from '../../core/access/command-context.ts';
import { callbackIds } from '../../messages/text/action-ids.ts';
import { answerView } from '../../messages/text/modal.ts';
import type { PressedView } from '../actions/press.ts';
import type { Screens } from './screens.ts';

/**
 * Answers a press in the Home tab by opening a form, and a press in that form by updating it, since Slack gives no `response_url` there.
 * If the trigger has expired, the answer is sent as a direct message.
 */
export function makeReplyInView({ openForm, updateForm }: Pick<Screens, 'openForm' | 'updateForm'>) {
  return (
    context: CommandContext,
    view: Pick<PressedView, 'id' | 'type' | 'callback_id'>,
  ): CommandContext => {
    if (view.callback_id === callbackIds.answer) {
      return { ...context, reply: (message) => updateForm(context, view.id, answerView(message)) };
    }
    if (view.type !== 'home') return context;
    return {
      ...context,
      reply: async (message, options) => {
        if ((await openForm(context, answerView(message))) === null) await context.reply(message, options);
      },
    };
  };
}

export type ReplyInView = ReturnType<typeof makeReplyInView>;
