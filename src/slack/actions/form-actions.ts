import { readFormContext } from '../../core/subscribing/form-context.ts';
import type { FormState } from '../../core/subscribing/form-hints.ts';
import type { ShowForm, UpdateForm } from '../../core/subscribing/show-form.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readFormFields, understandForm } from '../views/subscribe-fields.ts';
import type { Handler, Handlers, PressedView } from './press.ts';

export type FormActionDeps = {
  readonly showForm: Pick<ShowForm, 'again' | 'preview'>;
  readonly updateForm: UpdateForm;
  /** Records when Slack saw a change of a form, in seconds; false if any process has already recorded a newer one. */
  readonly noteChange: (viewId: string, at: number) => Promise<boolean>;
};

/** Fields that redraw the form when they change. */
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

/** Keeps the form in sync with its fields, and shows its preview. */
export function formActions({ showForm, updateForm, noteChange }: FormActionDeps): Handlers {
  const redraw: (change?: FormEdit) => Handler =
    (change = (form) => form) =>
    async ({ context, view, at }) => {
      const read = view && stateOf(view);
      const form = read && change(read);
      if (!view || !form) return;
      const { id, hash } = view;
      // Each change carries the values of all fields, so a newer one includes this one.
      const isNewest = () => noteChange(id, at);
      if (!(await isNewest())) return;
      await updateForm(context, id, await showForm.again(context, form), { hash, isNewest });
    };

  return {
    ...Object.fromEntries(dispatching.map((id) => [id, redraw()])),
    // Slack sends every keystroke; the form waits for a complete link or id.
    [actionIds.formResource]: redraw((form) => (form.values.reference === null ? null : form)),
    [actionIds.formMore]: redraw((form) => ({ ...form, values: { ...form.values, more: true } })),
    [actionIds.formPreview]: async ({ context, view }) => {
      const form = view && stateOf(view);
      if (form) await showForm.preview(context, form);
    },
  };
}

/** Changes the form before it is redrawn; null leaves it as it is. */
type FormEdit = (form: FormState) => FormState | null;

function stateOf(view: PressedView): FormState | null {
  const formContext = readFormContext(view.metadata);
  if (!formContext) return null;
  const values = readFormFields(view.values, formContext);
  return { formContext, values, understood: understandForm(values, formContext) };
}
