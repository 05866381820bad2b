import { requireAdmission } from '../../core/acts/admission.ts';
import type { Bot } from '../../core/bot.ts';
import { hasMore, noteChange, noteMore } from '../../core/subscribing/form-changes.ts';
import { readFormContext } from '../../core/subscribing/form-context.ts';
import type { FormState } from '../../core/subscribing/form-hints.ts';
import { redrawForm, showPreview } from '../../core/subscribing/show-form.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import type { Press, PressedView } from './press.ts';
import { readFormFields, understandForm } from './subscribe-fields.ts';

type Handler = (bot: Bot, press: Press) => Promise<void>;

/** A change of any field of the form redraws it. */
const fields = Object.values(actionIds).filter((id) => id.startsWith('form_'));

/** Keeps the form in sync with its fields, and shows its preview: what is pressed in it before anything is asked for. By `action_id`. */
export const formActions: Readonly<Record<string, Handler>> = {
  ...Object.fromEntries(fields.map((id) => [id, redraw])),
  [actionIds.formResource]: async (bot, press) => {
    // Slack sends every keystroke; the form waits for a complete link or id.
    if (press.view && stateOf(press.view)?.values.reference) await redraw(bot, press);
  },
  [actionIds.formMore]: async (bot, press) => {
    if (press.view) await noteMore(bot, press.view.id);
    await redraw(bot, press);
  },
  [actionIds.formPreview]: async (bot, { context, view }) => {
    await requireAdmission(bot, context);
    const form = view && stateOf(view);
    if (form) await showPreview(bot, context, form);
  },
};

async function redraw(bot: Bot, { context, view, at }: Press): Promise<void> {
  const form = view && stateOf(view);
  if (!view || !form) return;
  const { id, hash } = view;
  // Each change carries the values of all fields, so a newer one includes this one.
  const isNewest = () => noteChange(bot, id, at);
  if (!(await isNewest())) return;
  const draw = async (more: boolean): Promise<void> => {
    const shown = await redrawForm(bot, context, { ...form, values: { ...form.values, more } });
    await bot.slack.updateForm(context, id, shown, { hash, isNewest });
    // An older press of More options may have been recorded meanwhile, which is too old to redraw the form itself.
    if (!more && (await hasMore(bot, id))) await draw(true);
  };
  // Only that More options was pressed is missing from a change made before the form was redrawn.
  await draw(form.values.more || (await hasMore(bot, id)));
}

function stateOf(view: PressedView): FormState | null {
  const formContext = readFormContext(view.private_metadata);
  if (!formContext) return null;
  const values = readFormFields(view.state?.values ?? {}, formContext);
  return { formContext, values, understood: understandForm(values, formContext) };
}
