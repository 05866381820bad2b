import type { ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { type CommandContext, contextFrom } from '../../core/access/command-context.ts';
import { carryOutAdmitted, requireAdmission, submitForm } from '../../core/acts/carry-out.ts';
import { submitImport } from '../../core/administering/import-lines.ts';
import type { Bot } from '../../core/bot.ts';
import { findInList, listShown } from '../../core/delivering/show-all.ts';
import { submitCode } from '../../core/linking/link-commands.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import { readFormContext } from '../../core/subscribing/form-context.ts';
import { offerPeople, offerTargets, type ReadTyped } from '../../core/subscribing/offers.ts';
import { nextStep, readForm, whyNotThere } from '../../core/subscribing/show-form.ts';
import { cleaned, parseJson } from '../../lib/text.ts';
import { readRemoveDataForm } from '../../messages/admin/remove-data.ts';
import { readSettingsForm } from '../../messages/admin/settings.ts';
import { linkCodeErrors } from '../../messages/linking/linking.ts';
import { formErrors } from '../../messages/subscribing/form-fields.ts';
import { readQuietForm } from '../../messages/subscribing/quiet-form.ts';
import { formOutdated, pickers } from '../../messages/subscribing/subscribe-form.ts';
import { cutEnd } from '../../messages/text/escape.ts';
import { limits } from '../../messages/text/limits.ts';
import type { Message } from '../../messages/text/message.ts';
import { actionIds, callbackIds, type FieldState } from '../../messages/text/modal.ts';
import { parseShown, parseTyped } from '../grammar/parse-command.ts';

/** The fields of a form by `block_id` and `action_id`. */
export type FieldValues = Readonly<Record<string, Readonly<Record<string, FieldState>>>>;

/** Returns a field by its `action_id`, with what was typed `cleaned`; undefined if the form has none. */
export function fieldIn(values: FieldValues, actionId: string): FieldState | undefined {
  const field = Object.values(values).find((block) => Object.hasOwn(block, actionId))?.[actionId];
  return typeof field?.value === 'string' ? { ...field, value: cleaned(field.value) } : field;
}

/** A submitted form. */
type Submission = {
  readonly person: SlackPerson;
  readonly viewId: string;
  readonly metadata: string;
  readonly blocks: SubmittedView['blocks'];
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

const whereSchema = z.object({
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  madeInChannel: z.boolean().default(false),
});
const nowhere = { channelId: null, responseUrl: null, madeInChannel: false };

type SentForm = (bot: Bot, context: CommandContext, sent: Submission) => Promise<SubmissionResult>;

/** Reads what was entered in each form, by `callback_id`, and carries out what it asks for. */
export const forms: Readonly<Record<string, SentForm>> = {
  [callbackIds.linkCode]: async (bot, context, { values }) => {
    const fault = await submitCode(bot, context, fieldIn(values, actionIds.code)?.value ?? '');
    return fault ? { errors: linkCodeErrors(fault) } : {};
  },

  [callbackIds.settings]: async (bot, context, { values }) => {
    const read = readSettingsForm((id) => fieldIn(values, id));
    if ('errors' in read) return read;
    await carryOutAdmitted(bot, context, { act: 'save-settings', ...read });
    return {};
  },

  [callbackIds.showAll]: async (bot, context, { metadata, values }) => {
    const list = listShown(metadata);
    const find = fieldIn(values, actionIds.showAllFind)?.value ?? '';
    return list ? { view: await findInList(bot, context, list, find) } : {};
  },

  [callbackIds.importFile]: async (bot, context, { viewId, metadata, values }) => {
    const text = fieldIn(values, actionIds.importText)?.value ?? '';
    const taken = await submitImport(bot, context, {
      viewId,
      metadata,
      text,
      parse: (line, known) => parseTyped(line, { templates: bot.config.urlTemplates, ...known }),
    });
    if ('errors' in taken) return taken;
    return { view: taken.view, after: { context, work: taken.work } };
  },

  [callbackIds.removeData]: async (bot, context, { values }) => {
    const read = readRemoveDataForm((id) => fieldIn(values, id));
    if ('errors' in read) return read;
    return { after: { context, work: () => carryOutAdmitted(bot, context, read.request) } };
  },

  [callbackIds.quiet]: async (bot, context, { values }) => {
    const read = readQuietForm((id) => fieldIn(values, id));
    if ('errors' in read) return read;
    return { after: { context, work: () => carryOutAdmitted(bot, context, { act: 'quiet', ...read }) } };
  },

  [callbackIds.target]: async (bot, context, { metadata, values, blocks }) => {
    const formContext = readFormContext(metadata);
    if (formContext === null) return { errors: atFirstField({ blocks }, formOutdated) };
    const value = fieldIn(values, pickers.target)?.selected_option?.value ?? '';
    const next = await nextStep(bot, context, { formContext, value }, readTyped(bot, context));
    if ('fault' in next) return { errors: formErrors(new Map([[pickers.target, next.fault]])) };
    return next;
  },

  [callbackIds.subscribe]: async (bot, { person }, { metadata, values, responseUrl, blocks }) => {
    const form = await readForm(bot, metadata, (name) => fieldIn(values, name));
    if (form === null) return { errors: atFirstField({ blocks }, formOutdated) };
    const { formContext, channelId, faults } = form;
    const url = responseUrl ?? formContext.responseUrl;
    const { names, madeInChannel } = formContext;
    const context = contextFrom(bot, { person, channelId, madeInChannel, names, responseUrl: url });
    const obstacle =
      formContext.channelId === null && channelId !== null && (await whyNotThere(bot, context));
    const wrong = obstacle ? new Map([...faults, ['channel', obstacle] as const]) : faults;
    if (wrong.size > 0) return { errors: formErrors(wrong, formContext.round) };
    return { after: { context, work: () => submitForm(bot, context, form) } };
  },
};

/** Takes a form of a person who may ask for something at all. */
export async function takeForm(bot: Bot, form: SentForm, sent: Submission): Promise<SubmissionResult> {
  const context = contextIn(bot, sent);
  await requireAdmission(bot, context);
  return form(bot, context, sent);
}

/** Returns the context of what a person does in a form, from where it was opened. */
export function contextIn(
  bot: Bot,
  { person, metadata }: Pick<Submission, 'person' | 'metadata'>,
): CommandContext {
  const opened = whereSchema.catch(nowhere).parse(parseJson(metadata));
  return contextFrom(bot, { person, ...opened });
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

type Suggest = (bot: Bot, context: CommandContext, typed: string) => Promise<PlainTextOption[]>;

/** What a field offers for what was typed in it, by `action_id`. It shows only what the person may be shown, and is not counted as a command. */
export const suggestions: Readonly<Record<string, Suggest>> = {
  [pickers.target]: (bot, context, typed) => offerTargets(bot, context, typed, readTyped(bot, context)),
  [pickers.people]: offerPeople,
};

/** Returns what reads the first field of the subscribe form. */
function readTyped({ config }: Bot, { person }: CommandContext): ReadTyped {
  return (text, known) => parseShown(text, { me: person.userId, templates: config.urlTemplates, ...known });
}
