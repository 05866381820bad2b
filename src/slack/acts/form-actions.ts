import { requireAdmission } from '../../core/acts/admission.ts';
import type { Bot } from '../../core/bot.ts';
import { showMore, showPreview } from '../../core/subscribing/show-form.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { fieldIn } from './field-values.ts';
import type { Press } from './press.ts';

type Handler = (bot: Bot, press: Press) => Promise<void>;

/** What is pressed in the subscribe form before anything is asked for. By `action_id`. */
export const formActions: Readonly<Record<string, Handler>> = {
  [actionIds.formMore]: async (bot, { context, view }) => {
    await requireAdmission(bot, context);
    if (view) await showMore(bot, context, view);
  },
  [actionIds.formPreview]: async (bot, { context, view }) => {
    await requireAdmission(bot, context);
    if (view)
      await showPreview(bot, context, view.private_metadata, (name) =>
        fieldIn(view.state?.values ?? {}, name),
      );
  },
};
