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
import * as settings from '../../store/tables/settings.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/home-workspace.ts';
import { placeOf } from '../access/personal.ts';
import { answerRefusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { requirePostable } from '../channels/require-postable.ts';
import { hasContents } from '../model/format-request.ts';
import type { SubscribeRequest, TypedWhen } from '../model/request.ts';
import { eventTypes, type Filters, type PersonName } from '../model/subscription.ts';
import { typedWhenOf } from '../model/typed-settings.ts';
import type { TargetedRequest } from './allowed-request.ts';
import { type FormContext, keptAtFirst, writeFormContext } from './form-context.ts';
import { type FormState, hintsFor } from './form-hints.ts';
import { previewOf } from './form-preview.ts';

/** Slack: the longest initial value of a field. */
const longestField = 3_000;
const longestName = 120;

/** Opens the form for the channel it was asked for in. */
export async function openFormHere(bot: Bot, context: CommandContext): Promise<void> {
  await requirePostable(bot, context);
  await openNew(bot, context, context.channelId);
}

/** Opens the form to choose a channel in it. */
export function openFormAnywhere(bot: Bot, context: CommandContext): Promise<void> {
  return openNew(bot, context, null);
}

/** Opens the form filled in with what a line was understood to say, for the conversation that it is for. */
export async function openFilledForm(
  bot: Bot,
  asked: CommandContext,
  request: SubscribeRequest,
): Promise<void> {
  const context = await atHome(
    bot,
    await placeOf(bot, asked, { isPersonal: request.personal === true, isAboutChannel: true }),
  );
  await requirePostable(bot, context, request);
  await openNew(bot, context, context.channelId, request);
}

/** Opens a form for a new subscription, with the workspace's default delivery where `request` says none. */
async function openNew(
  bot: Bot,
  context: CommandContext,
  channelId: string | null,
  request: SubscribeRequest | null = null,
): Promise<void> {
  const { delivery } = await settings.of(bot.db, context.person);
  const start = await startOf(bot, context, channelId, delivery.when);
  const when = request?.when ?? delivery;
  const zone = ('zone' in when && when.zone) || start.zone;
  const formContext = { ...start, zone, isOwnZone: zone === start.zone };
  const values = { ...emptyForm, ...deliveryValues(when), ...(request ? requestValues(request) : {}) };
  const form = await bot.slack.openForm(context, drawForm({ formContext, values }, noHints));
  if (form === null) await context.reply(formNotOpened);
}

/** Opens the form to edit an existing subscription. */
export async function openEditForm(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const { slack, db } = bot;
  const { delivery } = await settings.of(db, context.person);
  const edit = editForm(row, await startOf(bot, context, row.channelId, delivery.when));
  const form = await slack.openForm(context, drawForm(edit, noHints));
  if (form === null) return context.reply(formNotOpened);
  // Slack requires the form within three seconds, so what has to be looked up is added afterwards.
  const understood = { channelId: row.channelId, request: edit.formContext.change.now, faults: {} };
  const hints = await hintsFor(bot, context, { ...edit, understood });
  // If the person has changed something meanwhile, the form was drawn again with the hints.
  const over = { hash: form.hash, isNewest: async () => false };
  await slack.updateForm(context, form.id, drawForm(edit, hints), over);
}

/** Draws the form again with its current values. */
export async function redrawForm(bot: Bot, context: CommandContext, form: FormState): Promise<ModalView> {
  return drawForm(form, await hintsFor(bot, context, form));
}

/** Shows a preview on top of the form, or what has to be corrected first. */
export async function showPreview(bot: Bot, context: CommandContext, state: FormState): Promise<void> {
  const { pushForm, updateForm } = bot.slack;
  const { understood, values } = state;
  const isFaulty = understood.request === null;
  const first = isFaulty ? previewFaults(understood.faults, values) : previewLoading;
  const form = await pushForm(context, first);
  if (form === null || isFaulty) return;
  const reply = (message: Message) => updateForm(context, form.id, answerView(message));
  await answerRefusal(async () => {
    const preview = await previewOf(bot, { ...context, reply }, state);
    if (preview !== null) await updateForm(context, form.id, previewView(preview));
  });
}

/** Returns what a new form stores. `usual`: when new subscriptions of the workspace post by default. */
async function startOf(
  { slack }: Bot,
  { person, responseUrl, copy }: CommandContext,
  channelId: string | null,
  usual: FormContext['usual'],
): Promise<FormContext> {
  const { zone } = await slack.profileOf(person);
  const names = copy.commands;
  return { channelId, responseUrl, names, zone, isOwnZone: true, change: null, usual, kept: keptAtFirst };
}

type Form = Pick<FormState, 'formContext' | 'values'>;

/** Returns the form that edits a subscription. `start`: of a new form. */
export function editForm(row: Subscription, start: FormContext) {
  const { values, now } = valuesOf(row);
  const name = row.resourceName?.slice(0, longestName).toWellFormed() ?? null;
  const zone = 'zone' in row.delivery ? row.delivery.zone : start.zone;
  const change = { id: row.id, name, now };
  return { formContext: { ...start, zone, isOwnZone: zone === start.zone, change }, values };
}

/** Draws the form with these values; they come back with it. */
export function drawForm({ formContext, values }: Form, hints: FormHints): ModalView {
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

/** Returns the values of the fields for when to post. */
function deliveryValues(delivery: TypedWhen) {
  const { when } = delivery;
  return {
    when,
    at: 'at' in delivery ? delivery.at : emptyForm.at,
    weekdays: when === 'daily' && delivery.weekdays === true,
    day: when === 'weekly' ? delivery.day : emptyForm.day,
    exceptDeleted: when !== 'live' && (delivery.except?.includes('delete') ?? false),
  };
}

/** Returns the values of the other fields for a request that was typed. */
function requestValues({ target, comprehensive, filters, threads = false, name = '' }: SubscribeRequest) {
  const { only = [], paths = [], by = [], notBy = [] } = filters;
  const id = 'id' in target ? target.id : 'projectId' in target ? target.projectId : target.sessionId;
  const item = 'itemId' in target ? target.itemId : 'documentId' in target ? target.documentId : '';
  return {
    resource: id,
    reference: { id, kind: null },
    kind: target.kind === 'unknown' ? null : target.kind,
    item,
    comprehensive: comprehensive || !hasContents(target),
    types: only.length === 0 ? eventTypes : only,
    ...moreValues({ filters: { paths, by, notBy }, threads, name }),
  };
}

/** Returns the values of the fields below More options, which are shown if one of them is set. */
function moreValues({
  filters: { paths, by, notBy },
  threads,
  name,
}: {
  readonly filters: Omit<Filters, 'only'>;
  readonly threads: boolean;
  readonly name: string;
}) {
  const lines = paths.map(asLine).join('\n');
  return {
    more: threads || name !== '' || [paths, by, notBy].some((list) => list.length > 0),
    paths: lines.length > longestField ? null : lines,
    by: peopleOf(by),
    notBy: peopleOf(notBy),
    threads,
    name,
  };
}

/** Returns the form's initial values, and the part of them for its metadata. Filters are only in the fields, because they may be long. */
function valuesOf(row: Subscription): { values: FormValues; now: TargetedRequest } {
  const { target, comprehensive, filters, delivery, threads } = row;
  return {
    values: {
      ...emptyForm,
      kind: target.kind,
      comprehensive,
      types: filters.only.length === 0 ? eventTypes : filters.only,
      ...deliveryValues(delivery),
      ...moreValues({ filters, threads, name: '' }),
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
