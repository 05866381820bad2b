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
import type { Asked } from '../access/command-context.ts';
import type { ProfileOf } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { eventTypes, type PersonName, type Target } from '../model/subscription.ts';
import type { ShowHelp } from '../requests/show-help.ts';
import { type FormContext, type FormUnderstood, writeFormContext } from './form-context.ts';
import type { PreviewForm } from './form-preview.ts';

/** Opens a form for whoever asked, and gives its id; null where Slack did not let it, because that was too long ago. */
export type OpenForm = (asked: Asked, view: ModalView) => Promise<string | null>;

/** Shows a form anew, unless it is closed. */
export type UpdateForm = (asked: Asked, viewId: string, view: ModalView) => Promise<void>;

export type ShowFormDeps = {
  readonly openForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly previewForm: PreviewForm;
  readonly profileOf: ProfileOf;
  /** Whether the bot could post there; where it could not, the person has been told. */
  readonly checkPostable: (asked: Asked) => Promise<boolean>;
  readonly showHelp: ShowHelp;
};

export type ShowForm = ReturnType<typeof makeShowForm>;

/** Slack takes no more in a field at first. */
const longestField = 3_000;
const longestName = 120;

/** Shows the form that subscribes or changes, and what it tells about what is in it. */
export function makeShowForm(deps: ShowFormDeps) {
  async function open(asked: Asked, context: FormContext, values: FormValues): Promise<void> {
    const viewId = await deps.openForm(asked, draw(context, values, nothingToPreview));
    if (viewId === null) return asked.reply(formNotOpened());
    if (context.change === null) return;
    // Slack wants the form within three seconds; what is to be looked up for it comes afterwards.
    const understood = {
      channelId: context.channelId,
      request: context.change.now,
      faults: {},
      anyway: false,
    };
    const preview = await deps.previewForm(asked, { context, understood });
    await deps.updateForm(asked, viewId, draw(context, values, preview));
  }

  async function contextOf(asked: Asked, channelId: string | null): Promise<FormContext> {
    const { zone } = await deps.profileOf(asked.person);
    return { channelId, responseUrl: asked.responseUrl, names: asked.names, zone, change: null };
  }

  return {
    /** For the channel in which it was asked. Where no form can be opened, help on typing takes its place. */
    async here(asked: Asked): Promise<void> {
      if (!asked.triggerId) return deps.showHelp(asked, 'subscribe');
      if (!(await deps.checkPostable(asked))) return;
      await open(asked, await contextOf(asked, asked.channelId), emptyForm);
    },

    /** For a channel that is chosen in the form. */
    async anywhere(asked: Asked): Promise<void> {
      await open(asked, await contextOf(asked, null), emptyForm);
    },

    /** To change a subscription that is there. */
    async toChange(asked: Asked, row: Subscription): Promise<void> {
      const context = await contextOf(asked, row.channelId);
      const { values, now } = valuesOf(row);
      const name = row.resourceName?.slice(0, longestName).toWellFormed() ?? null;
      await open(asked, { ...context, change: { id: row.id, name, now } }, values);
    },

    /** With what is in it by now, and what that would do: as it is to be shown. */
    async again(
      asked: Asked,
      form: {
        readonly context: FormContext;
        readonly values: FormValues;
        readonly understood: FormUnderstood;
      },
    ): Promise<ModalView> {
      return draw(form.context, form.values, await deps.previewForm(asked, form));
    },
  };
}

function draw(context: FormContext, values: FormValues, preview: FormPreview): ModalView {
  return subscribeForm({
    about: aboutOf(context),
    values,
    zone: context.zone,
    preview,
    metadata: writeFormContext(context),
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
