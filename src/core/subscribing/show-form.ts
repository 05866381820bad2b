import type { ModalView } from '@slack/types';
import { formNotOpened } from '../../messages/subscribing/answers.ts';
import {
  type FormAbout,
  type FormPeople,
  type FormPreview,
  type FormValues,
  nothingToPreview,
  subscribeForm,
} from '../../messages/subscribing/subscribe-form.ts';
import type { Subscription } from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { ProfileOf } from '../model/people.ts';
import type { SubscribeRequest, Verb } from '../model/request.ts';
import { eventTypes, type PersonName, type Target } from '../model/subscription.ts';
import { type FormContext, type FormUnderstood, writeFormContext } from './form-context.ts';
import type { PreviewForm } from './form-preview.ts';

/** Opens a form for whoever asked, and gives its id; null where Slack did not let it, because that was too long ago. */
export type OpenForm = (context: CommandContext, view: ModalView) => Promise<string | null>;

/** Shows a form anew, unless it is closed. */
export type UpdateForm = (context: CommandContext, viewId: string, view: ModalView) => Promise<void>;

export type ShowFormDeps = {
  readonly openForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly previewForm: PreviewForm;
  readonly profileOf: ProfileOf;
  /** Whether the bot can post there; if not, the person gets a reply that says why. */
  readonly requirePostable: (context: CommandContext) => Promise<boolean>;
  readonly showHelp: (context: CommandContext, topic: Verb) => Promise<void>;
};

export type ShowForm = ReturnType<typeof makeShowForm>;

/** Slack takes no more in a field at first. */
const longestField = 3_000;
const longestName = 120;

/** Shows the form that subscribes or changes, and what it tells about what is in it. */
export function makeShowForm(deps: ShowFormDeps) {
  async function open(context: CommandContext, formContext: FormContext, values: FormValues): Promise<void> {
    const viewId = await deps.openForm(context, draw(formContext, values, nothingToPreview));
    if (viewId === null) return context.reply(formNotOpened());
    if (formContext.change === null) return;
    // Slack wants the form within three seconds; what is to be looked up for it comes afterwards.
    const understood = {
      channelId: formContext.channelId,
      request: formContext.change.now,
      faults: {},
      anyway: false,
    };
    const preview = await deps.previewForm(context, { formContext, understood });
    await deps.updateForm(context, viewId, draw(formContext, values, preview));
  }

  async function contextOf(context: CommandContext, channelId: string | null): Promise<FormContext> {
    const { zone } = await deps.profileOf(context.person);
    return { channelId, responseUrl: context.responseUrl, names: context.names, zone, change: null };
  }

  return {
    /** For the channel in which it was asked. Where no form can be opened, help on typing takes its place. */
    async here(context: CommandContext): Promise<void> {
      if (!context.triggerId) return deps.showHelp(context, 'subscribe');
      if (!(await deps.requirePostable(context))) return;
      await open(context, await contextOf(context, context.channelId), emptyForm);
    },

    /** For a channel that is chosen in the form. */
    async anywhere(context: CommandContext): Promise<void> {
      await open(context, await contextOf(context, null), emptyForm);
    },

    /** To change a subscription that is there. */
    async toChange(context: CommandContext, row: Subscription): Promise<void> {
      const formContext = await contextOf(context, row.channelId);
      const { values, now } = valuesOf(row);
      const name = row.resourceName?.slice(0, longestName).toWellFormed() ?? null;
      await open(context, { ...formContext, change: { id: row.id, name, now } }, values);
    },

    /** With what is in it by now, and what that would do: as it is to be shown. */
    async again(
      context: CommandContext,
      form: {
        readonly formContext: FormContext;
        readonly values: FormValues;
        readonly understood: FormUnderstood;
      },
    ): Promise<ModalView> {
      return draw(form.formContext, form.values, await deps.previewForm(context, form));
    },
  };
}

function draw(formContext: FormContext, values: FormValues, preview: FormPreview): ModalView {
  return subscribeForm({
    about: aboutOf(formContext),
    values,
    zone: formContext.zone,
    preview,
    metadata: writeFormContext(formContext),
  });
}

function aboutOf({ channelId, change }: FormContext): FormAbout {
  if (change === null || channelId === null) return { act: 'follow', channelId };
  const { target, comprehensive } = change.now;
  return { act: 'change', channelId, subscribed: { target, comprehensive, name: change.name } };
}

const emptyForm: FormValues = {
  channelId: null,
  kind: null,
  resource: '',
  item: '',
  comprehensive: true,
  types: eventTypes,
  paths: '',
  by: { userIds: [], emails: '' },
  notBy: { userIds: [], emails: '' },
  when: 'live',
  at: '09:00',
  threads: false,
  anyway: false,
};

/** What the form begins with, and the part of it that the form itself keeps: filters stand in its fields, and may be long. */
function valuesOf(row: Subscription): {
  values: FormValues;
  now: SubscribeRequest & { readonly target: Target };
} {
  const { target, comprehensive, filters, delivery, threads } = row;
  const paths = filters.paths.map(asLine).join('\n');
  return {
    values: {
      ...emptyForm,
      kind: target.kind,
      comprehensive,
      types: filters.only.length === 0 ? eventTypes : filters.only,
      paths: paths.length > longestField ? null : paths,
      by: peopleOf(filters.by),
      notBy: peopleOf(filters.notBy),
      when: delivery.when,
      at: delivery.when === 'daily' ? delivery.at : emptyForm.at,
      threads,
    },
    now: {
      act: 'subscribe',
      target,
      comprehensive,
      filters: {},
      when: delivery.when === 'daily' ? { when: 'daily', at: delivery.at } : { when: delivery.when },
      threads,
    },
  };
}

/** A glob that begins and ends like a quotation is put between quotes, so that its own are not taken for such. */
function asLine(glob: string): string {
  return /^!?["“”„«»]/.test(glob) ? `"${glob}"` : glob;
}

/** Null where the addresses are too many for a field. */
function peopleOf(people: readonly PersonName[]): FormPeople | null {
  const emails = people.flatMap((who) => ('email' in who ? [who.email] : [])).join(' ');
  if (emails.length > longestField) return null;
  return { userIds: people.flatMap((who) => ('userId' in who ? [who.userId] : [])), emails };
}
