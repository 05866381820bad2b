import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { changeSettings } from '../../core/access/change-settings.ts';
import type { CommandContext } from '../../core/access/command-context.ts';
import { submitImport } from '../../core/administering/import-lines.ts';
import { submitRemoveData } from '../../core/administering/remove-data.ts';
import type { Bot } from '../../core/bot.ts';
import { submitCode } from '../../core/linking/link-commands.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import { requireAdmission } from '../../core/requests/admission.ts';
import { submitForm } from '../../core/requests/submit-form.ts';
import { readFormContext } from '../../core/subscribing/form-context.ts';
import { redrawForm } from '../../core/subscribing/show-form.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { settingsErrors } from '../../messages/admin/settings.ts';
import { linkCodeErrors } from '../../messages/linking/link-code.ts';
import { formErrors } from '../../messages/subscribing/form-errors.ts';
import { blockIds, callbackIds } from '../../messages/text/action-ids.ts';
import { cutEnd } from '../../messages/text/escape.ts';
import { limits } from '../../messages/text/limits.ts';
import type { Message } from '../../messages/text/message.ts';
import { parseTyped } from '../grammar/parse-fields.ts';
import { readRemovalFields, readSettingsFields } from './admin-fields.ts';
import { type FieldValues, fieldIn } from './field-values.ts';
import { readFormFields, understandForm } from './subscribe-fields.ts';

/** A submitted form. */
type Submission = {
  readonly person: SlackPerson;
  readonly viewId: string;
  readonly metadata: string;
  readonly values: FieldValues;
  /** The `response_url` for a channel that was chosen in the form. */
  readonly responseUrl: string | null;
};

/** The result of a submission. The form closes unless there are errors or a view. */
export type SubmissionResult = {
  /** By field. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Replaces the form. */
  readonly view?: ModalView | null;
  /** Runs after Slack has been answered, because it can take longer than Slack waits, and only once, however often the form is sent. */
  readonly after?: { readonly context: CommandContext; readonly work: () => Promise<void> };
};

const whereSchema = z.object({ channelId: z.string().nullable(), responseUrl: z.string().nullable() });
const nowhere = { channelId: null, responseUrl: null };

/** Maps each form's `callback_id` to its handler. */
export function viewTable(
  bot: Bot,
): Readonly<Record<string, (sent: Submission) => Promise<SubmissionResult>>> {
  const { contextFrom } = bot;
  const askedOf = ({ person, metadata }: Submission): CommandContext => {
    const opened = whereSchema.catch(nowhere).parse(parseJson(metadata));
    return contextFrom({ person, ...opened, madeInChannel: opened.responseUrl !== null });
  };

  return {
    [callbackIds.linkCode]: async (sent) => {
      const code = fieldIn(sent.values, blockIds.code)?.value ?? '';
      const fault = await submitCode(bot, askedOf(sent), code);
      return fault ? { errors: linkCodeErrors(fault) } : {};
    },

    [callbackIds.settings]: async (sent) => {
      const context = askedOf(sent);
      const typed = readSettingsFields(sent.values);
      if (typed === null) return {};
      await requireAdmission(bot, context);
      const faults = await changeSettings(bot, context, typed);
      return faults ? { errors: settingsErrors(faults) } : {};
    },

    [callbackIds.importFile]: async (sent) => {
      const context = askedOf(sent);
      await requireAdmission(bot, context);
      const { viewId, metadata, values } = sent;
      const text = fieldIn(values, blockIds.importText)?.value ?? '';
      const taken = await submitImport(bot, context, {
        viewId,
        metadata,
        text,
        parse: (line, me) => parseTyped(line, { me }),
      });
      if ('errors' in taken) return taken;
      return { view: taken.view, after: { context, work: taken.work } };
    },

    [callbackIds.removeData]: async (sent) => {
      const context = askedOf(sent);
      await requireAdmission(bot, context);
      const taken = submitRemoveData(bot, context, readRemovalFields(sent.values));
      return 'errors' in taken ? taken : { after: { context, work: taken.work } };
    },

    [callbackIds.subscribe]: async ({ person, metadata, values, responseUrl }) => {
      const formContext = readFormContext(metadata);
      if (!formContext) return {};
      // Only a form opened in a channel proves that the person is in it.
      const madeInChannel = formContext.channelId !== null && formContext.responseUrl !== null;
      await requireAdmission(bot, contextFrom({ person, madeInChannel, ...formContext }));
      const fields = readFormFields(values, formContext);
      const understood = understandForm(fields, formContext);
      const { request, channelId, faults } = understood;
      if (request === null) {
        const asksKind = faults[blockIds.formKind] !== undefined && values[blockIds.formKind] === undefined;
        if (!asksKind) return { errors: formErrors(faults, Object.keys(values)) };
        // The person could not choose yet: the field is only shown if the link does not say the kind.
        const where = { channelId, madeInChannel, responseUrl };
        const context = contextFrom({ person, ...where, names: formContext.names });
        return { view: await redrawForm(bot, context, { formContext, values: fields, understood }) };
      }
      const where = { channelId, madeInChannel, responseUrl: responseUrl ?? formContext.responseUrl };
      const context = contextFrom({ person, ...where, names: formContext.names });
      return { after: { context, work: () => submitForm(bot, context, { request, formContext }) } };
    },
  };
}

/** A form as Slack sends it back. */
export type SubmittedView = {
  readonly blocks: readonly { readonly type: string; readonly block_id?: string }[];
};

/** Returns an answer as the error of a form's first field, since Slack has no other place for one in a form that stays open. */
export function atFirstField({ blocks }: SubmittedView, { text }: Message): Record<string, string> {
  const field = blocks.find(({ type }) => type === 'input')?.block_id ?? '';
  return { [field]: cutEnd(text, limits.fieldError) };
}

/** Returns the response that keeps a form open; null if the form closes. */
export function staysOpen({ errors, view }: SubmissionResult) {
  if (errors) return { response_action: 'errors', errors } as const;
  return view ? ({ response_action: 'update', view } as const) : null;
}
