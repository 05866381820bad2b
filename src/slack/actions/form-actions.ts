import { readFormContext } from '../../core/subscribing/form-context.ts';
import type { ShowForm, UpdateForm } from '../../core/subscribing/show-form.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readFormFields, understandForm } from '../views/subscribe-fields.ts';
import type { Handler, Handlers } from './press.ts';

export type FormActionDeps = {
  readonly showForm: Pick<ShowForm, 'again'>;
  readonly updateForm: UpdateForm;
};

/** Fields of the form that subscribes whose change is told at once, and its button. */
const telling = [
  actionIds.formChannel,
  actionIds.formKind,
  actionIds.formResource,
  actionIds.formItem,
  actionIds.formExtent,
  actionIds.formTypes,
  actionIds.formByUsers,
  actionIds.formByEmails,
  actionIds.formNotByUsers,
  actionIds.formNotByEmails,
  actionIds.formWhen,
  actionIds.formAt,
  actionIds.formThreads,
  actionIds.formPreview,
];

/** Shows the form anew while somebody fills it in: with the fields that belong to what they chose, and what it would do. */
export function formActions({ showForm, updateForm }: FormActionDeps): Handlers {
  const newest = new Map<string, symbol>();

  const changed: Handler = async ({ context, view }) => {
    const formContext = view && readFormContext(view.metadata);
    if (!formContext) return;
    const turn = Symbol(view.id);
    newest.set(view.id, turn);
    try {
      const values = readFormFields(view.values, formContext);
      const understood = understandForm(values, formContext);
      const next = await showForm.again(context, { formContext, values, understood });
      // Meanwhile something else in the form may have been changed; that one knows of this one, and not the other way round.
      if (newest.get(view.id) === turn) await updateForm(context, view.id, next);
    } finally {
      if (newest.get(view.id) === turn) newest.delete(view.id);
    }
  };

  return Object.fromEntries(telling.map((id) => [id, changed]));
}
