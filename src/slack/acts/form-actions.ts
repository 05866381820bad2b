import { requireAdmission } from '../../core/acts/admission.ts';
import type { Bot } from '../../core/bot.ts';
import { goBack, showMore, showPreview } from '../../core/subscribing/show-form.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { fieldIn } from './field-values.ts';
import type { Press } from './press.ts';

type Handler = (bot: Bot, press: Press) => Promise<void>;
type PressedForm = NonNullable<Press['view']>;

const fieldsIn = (view: PressedForm) => (name: string) => fieldIn(view.state?.values ?? {}, name);

const inForm =
  (handler: (bot: Bot, context: Press['context'], view: PressedForm) => Promise<void>): Handler =>
  async (bot, { context, view }) => {
    await requireAdmission(bot, context);
    if (view) await handler(bot, context, view);
  };

/** What is pressed in the subscribe form before anything is asked for. By `action_id`. */
export const formActions: Readonly<Record<string, Handler>> = {
  [actionIds.formMore]: inForm(showMore),
  [actionIds.formBack]: inForm((bot, context, view) =>
    goBack(bot, context, view.id, view.private_metadata, fieldsIn(view)),
  ),
  [actionIds.formPreview]: inForm((bot, context, view) =>
    showPreview(bot, context, view.private_metadata, fieldsIn(view)),
  ),
};
