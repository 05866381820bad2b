import type { ModalView } from '@slack/types';
import { formNotOpened } from '../../messages/subscribing/answers.ts';
import { previewFaults, previewLoading, previewView } from '../../messages/subscribing/form-preview.ts';
import {
  type FormAbout,
  type FormHints,
  type FormPeople,
  type FormValues,
  noHints,
} from '../../messages/subscribing/form-values.ts';
import { subscribeForm } from '../../messages/subscribing/subscribe-form.ts';
import type { Message } from '../../messages/text/message.ts';
import { answerView } from '../../messages/text/modal.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { answerRefusal } from '../access/refusal.ts';
import { eventTypes, type PersonName } from '../model/subscription.ts';
import { typedWhenOf } from '../model/typed-settings.ts';
import type { TargetedRequest } from './allowed-request.ts';
import { type FormContext, keptAtFirst, writeFormContext } from './form-context.ts';
import type { FormState, HintsFor } from './form-hints.ts';
import type { PreviewForm } from './form-preview.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';

type ShowFormDeps = Pick<
  SubscribingRoomDeps,
  'openForm' | 'pushForm' | 'updateForm' | 'profileOf' | 'settings' | 'requirePostable' | 'showHelp'
> & { readonly hintsFor: HintsFor; readonly previewForm: PreviewForm };

export type ShowForm = ReturnType<typeof makeShowForm>;

/** Slack: the longest initial value of a field. */
const longestField = 3_000;
const longestName = 120;

/** Shows the subscribe or edit form, and its preview. */
export function makeShowForm(deps: ShowFormDeps) {
  async function open(context: CommandContext, formContext: FormContext, values: FormValues): Promise<void> {
    const form = await deps.openForm(context, draw(formContext, values, noHints));
    if (form === null) return context.reply(formNotOpened);
    if (formContext.change === null) return;
    // Slack requires the form within three seconds, so what has to be looked up is added afterwards.
    const request = formContext.change.now;
    const understood = { channelId: formContext.channelId, request, faults: {} };
    const hints = await deps.hintsFor(context, { formContext, values, understood });
    // If the person has changed something meanwhile, the form was drawn again with the hints.
    const over = { hash: form.hash, isNewest: async () => false };
    await deps.updateForm(context, form.id, draw(formContext, values, hints), over);
  }

  /** Returns what a new form stores, and the workspace's default delivery. */
  async function startOf(context: CommandContext, channelId: string | null) {
    const [{ zone }, { delivery }] = await Promise.all([
      deps.profileOf(context.person),
      deps.settings.of(context.person),
    ]);
    const { responseUrl, copy } = context;
    const usual = delivery.when;
    const formContext = {
      channelId,
      responseUrl,
      names: copy.commands,
      zone,
      isOwnZone: true,
      change: null,
      usual,
      kept: keptAtFirst,
    };
    return { formContext, delivery };
  }

  /** Opens an empty form with the workspace's default delivery. */
  async function openNew(context: CommandContext, channelId: string | null): Promise<void> {
    const { formContext, delivery } = await startOf(context, channelId);
    const daily = delivery.when === 'daily' ? { at: delivery.at, weekdays: delivery.weekdays === true } : {};
    await open(context, formContext, { ...emptyForm, when: delivery.when, ...daily });
  }

  return {
    /** Opens the form for the channel it was asked for in. If no form can be opened, shows help instead. */
    async here(context: CommandContext): Promise<void> {
      if (!context.triggerId) return deps.showHelp(context, 'subscribe');
      await deps.requirePostable(context);
      await openNew(context, context.channelId);
    },

    /** Opens the form to choose a channel in it. */
    async anywhere(context: CommandContext): Promise<void> {
      await openNew(context, null);
    },

    /** Opens the form to edit an existing subscription. */
    async toChange(context: CommandContext, row: Subscription): Promise<void> {
      const { formContext } = await startOf(context, row.channelId);
      const { values, now } = valuesOf(row);
      const name = row.resourceName?.slice(0, longestName).toWellFormed() ?? null;
      const zone = row.delivery.when === 'daily' ? row.delivery.zone : formContext.zone;
      const isOwnZone = zone === formContext.zone;
      await open(context, { ...formContext, zone, isOwnZone, change: { id: row.id, name, now } }, values);
    },

    /** Redraws the form with its current values. */
    async again(context: CommandContext, form: FormState): Promise<ModalView> {
      return draw(form.formContext, form.values, await deps.hintsFor(context, form));
    },

    /** Shows a preview on top of the form, or what has to be corrected first. */
    async preview(context: CommandContext, state: FormState): Promise<void> {
      const { understood, values } = state;
      const isFaulty = understood.request === null;
      const first = isFaulty ? previewFaults(understood.faults, values) : previewLoading;
      const form = await deps.pushForm(context, first);
      if (form === null || isFaulty) return;
      const reply = (message: Message) => deps.updateForm(context, form.id, answerView(message));
      await answerRefusal(async () => {
        const preview = await deps.previewForm({ ...context, reply }, state);
        if (preview !== null) await deps.updateForm(context, form.id, previewView(preview));
      });
    },
  };
}

function draw(formContext: FormContext, values: FormValues, hints: FormHints): ModalView {
  return subscribeForm({
    about: aboutOf(formContext),
    values,
    zone: formContext.zone,
    isOwnZone: formContext.isOwnZone,
    hints,
    metadata: writeFormContext(formContext, values),
  });
}

function aboutOf({ channelId, change }: FormContext): FormAbout {
  if (change === null || channelId === null) return { act: 'follow', channelId };
  const { target, comprehensive } = change.now;
  return { act: 'change', channelId, subscribed: { target, comprehensive, name: change.name } };
}

const emptyForm: FormValues = {
  ...keptAtFirst,
  channelId: null,
  resource: '',
  reference: null,
  kind: null,
  types: eventTypes,
  when: 'live',
  folders: [],
  paths: '',
  by: { userIds: [], emails: '' },
  notBy: { userIds: [], emails: '' },
  threads: false,
  name: '',
};

/** Returns the form's initial values, and the part of them for its metadata. Filters are only in the fields, because they may be long. */
function valuesOf(row: Subscription): { values: FormValues; now: TargetedRequest } {
  const { target, comprehensive, filters, delivery, threads } = row;
  const { by, notBy } = filters;
  const paths = filters.paths.map(asLine).join('\n');
  return {
    values: {
      ...emptyForm,
      kind: target.kind,
      comprehensive,
      types: filters.only.length === 0 ? eventTypes : filters.only,
      when: delivery.when,
      at: delivery.when === 'daily' ? delivery.at : emptyForm.at,
      weekdays: delivery.when === 'daily' && delivery.weekdays === true,
      exceptDeleted: delivery.when !== 'live' && (delivery.except?.includes('delete') ?? false),
      more: threads || paths !== '' || by.length > 0 || notBy.length > 0,
      paths: paths.length > longestField ? null : paths,
      by: peopleOf(by),
      notBy: peopleOf(notBy),
      threads,
    },
    now: {
      act: 'subscribe',
      target,
      comprehensive,
      filters: {},
      when: typedWhenOf(delivery),
      threads,
    },
  };
}

/** Quotes a glob that begins with a quotation mark, so its own quotation marks are not parsed as quotes. */
function asLine(glob: string): string {
  return /^!?["“”„«»]/.test(glob) ? `"${glob}"` : glob;
}

/** Returns null if the addresses are too long for a field. */
function peopleOf(people: readonly PersonName[]): FormPeople | null {
  const emails = people.flatMap((who) => ('email' in who ? [who.email] : [])).join(' ');
  if (emails.length > longestField) return null;
  return { userIds: people.flatMap((who) => ('userId' in who ? [who.userId] : [])), emails };
}
