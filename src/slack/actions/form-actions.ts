import { readFormContext } from '../../core/subscribing/form-context.ts';
import type { FormState } from '../../core/subscribing/form-hints.ts';
import type { ShowForm, UpdateForm } from '../../core/subscribing/show-form.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readFormFields, understandForm } from '../views/subscribe-fields.ts';
import type { Handler, Handlers, PressedView } from './press.ts';

export type FormActionDeps = {
  readonly showForm: Pick<ShowForm, 'again' | 'preview'>;
  readonly updateForm: UpdateForm;
};

/** Fields after whose change the form is drawn again. */
const dispatching = [
  actionIds.formChannel,
  actionIds.formKind,
  actionIds.formKindProject,
  actionIds.formKindSession,
  actionIds.formFolder,
  actionIds.formItem,
  actionIds.formScope,
  actionIds.formTypes,
  actionIds.formFolders,
  actionIds.formByUsers,
  actionIds.formByEmails,
  actionIds.formNotByUsers,
  actionIds.formNotByEmails,
  actionIds.formWhen,
  actionIds.formAt,
  actionIds.formDays,
  actionIds.formExcept,
  actionIds.formThreads,
];

/** Keeps the form in sync with what is put into it, and shows its preview. */
export function formActions({ showForm, updateForm }: FormActionDeps): Handlers {
  const newest = new Map<string, symbol>();
  /** The last update of each form that is under way: two at once could arrive in either order. */
  const updates = new Map<string, Promise<void>>();

  const redraw: (change?: FormEdit) => Handler =
    (change = (form) => form) =>
    async ({ context, view }) => {
      const read = view && stateOf(view);
      const form = read && change(read);
      if (!view || !form) return;
      const { id } = view;
      const turn = Symbol(id);
      newest.set(id, turn);
      try {
        const next = await showForm.again(context, form);
        await updates.get(id)?.catch(() => undefined);
        // Another field may have changed since; its redraw knows this change, and this one does not know that.
        if (newest.get(id) !== turn) return;
        const update = updateForm(context, id, next);
        updates.set(id, update);
        await update;
      } finally {
        if (newest.get(id) === turn) {
          newest.delete(id);
          updates.delete(id);
        }
      }
    };

  return {
    ...Object.fromEntries(dispatching.map((id) => [id, redraw()])),
    // Slack sends each character; the form waits for a whole link or id.
    [actionIds.formResource]: redraw((form) => (form.values.reference === null ? null : form)),
    [actionIds.formMore]: redraw((form) => ({ ...form, values: { ...form.values, more: true } })),
    [actionIds.formPreview]: async ({ context, view }) => {
      const form = view && stateOf(view);
      if (form) await showForm.preview(context, form);
    },
  };
}

/** What is drawn in place of the form as it was read; null where it stays as it is. */
type FormEdit = (form: FormState) => FormState | null;

function stateOf(view: PressedView): FormState | null {
  const formContext = readFormContext(view.metadata);
  if (!formContext) return null;
  const values = readFormFields(view.values, formContext);
  return { formContext, values, understood: understandForm(values, formContext) };
}
