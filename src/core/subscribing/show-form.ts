import { isDeepStrictEqual } from 'node:util';
import type { ModalView } from '@slack/types';
import { within } from '../../lib/durations.ts';
import { formNotOpened } from '../../messages/subscribing/answers.ts';
import { type FormRead, type KnownFolder, readFields } from '../../messages/subscribing/form-fields.ts';
import { whyNotPostable } from '../../messages/subscribing/refusals.ts';
import {
  formOutdated,
  nothingFound,
  previewFaults,
  previewLoading,
  previewView,
  severalFound,
  subscribeForm,
  targetForm,
} from '../../messages/subscribing/subscribe-form.ts';
import { describeFault } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import { answerView, type FieldOf } from '../../messages/text/modal.ts';
import { type Phrase, say, sentence } from '../../messages/text/phrase.ts';
import * as settings from '../../store/tables/settings.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { namesOf } from '../access/people-names.ts';
import { atHome, placeOf } from '../access/place.ts';
import { answerRefusal, Refusal } from '../access/refusal.ts';
import { isDiscreet } from '../access/shown-names.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { requirePostable } from '../channels/channel-facts.ts';
import { usersIn } from '../model/filters.ts';
import { followedWords } from '../model/format-request.ts';
import type { SubscribeRequest, TypedWhen } from '../model/request.ts';
import { eventTypes } from '../model/subscription.ts';
import { requestOf } from '../model/typed-settings.ts';
import { type FormContext, formContextSchema, keepStart, readFormContext, startOf } from './form-context.ts';
import { previewOf } from './form-preview.ts';
import { folderName, knownFolders, type Reader, readerIn, seenOf } from './known-folders.ts';
import { optionFor, plainRequest, type ReadTyped, readChosen, recognized } from './offers.ts';
import { namesShownTo } from './read-with-known.ts';

/** How long to wait for what the form can do without. Slack opens a form only within three seconds. */
const lookUpMs = 800;
const longestName = 120;

/** Opens the form for the channel it was asked for in; `anywhere`: to choose one in it. */
export async function openTargetForm(
  bot: Bot,
  context: CommandContext,
  { anywhere = false } = {},
): Promise<void> {
  if (!anywhere) await requirePostable(bot, context);
  const channelId = anywhere ? null : context.channelId;
  const metadata = JSON.stringify(await newContext(bot, context, channelId));
  await open(bot, context, targetForm({ channelId, metadata }));
  // Kept for the names that are offered while the person types.
  await bot.slack.channelsOf(context.person);
}

/** Opens the form filled in with a request; `anywhere`: to choose a channel in it. `keeps`: what is carried out once the bot is invited. */
export async function openFilledForm(
  bot: Bot,
  asked: CommandContext,
  request: SubscribeRequest,
  { keeps = null, anywhere = false }: { keeps?: SubscribeRequest | null; anywhere?: boolean } = {},
): Promise<void> {
  const context = anywhere ? asked : await formPlace(bot, asked, request);
  if (!anywhere) await requirePostable(bot, context, keeps);
  const formContext = await newContext(bot, context, anywhere ? null : context.channelId);
  await open(bot, context, await newForm(bot, context, formContext, request));
}

/** Opens the form to edit an existing subscription. */
export async function openEditForm(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const formContext = await newContext(bot, context, row.channelId);
  await open(bot, context, await editForm(bot, context, formContext, row));
}

async function open(bot: Bot, context: CommandContext, view: ModalView): Promise<void> {
  if ((await bot.slack.openForm(context, view)) === null) await context.reply(formNotOpened);
}

/** Returns the second step for what was chosen in the first, or what is wrong with that. */
export async function nextStep(
  bot: Bot,
  asked: CommandContext,
  { formContext, value }: { readonly formContext: FormContext; readonly value: string },
  read: ReadTyped,
): Promise<{ readonly view: ModalView } | { readonly fault: Phrase }> {
  const chosen = await readChosen(bot, asked, value, read);
  if (!('request' in chosen)) return { fault: whyNotChosen(chosen) };
  const request = resumed(await startOf(bot, formContext), chosen.request);
  const context = request.personal ? await formPlace(bot, asked, request) : asked;
  const channelId = request.personal ? context.channelId : formContext.channelId;
  const next = { ...formContext, channelId, madeInChannel: context.madeInChannel, hasBack: true };
  return { view: await newForm(bot, context, next, request) };
}

function whyNotChosen({
  text,
  names,
  mistake,
}: Exclude<Awaited<ReturnType<typeof readChosen>>, { request: unknown }>): Phrase {
  const [fault] = mistake.ok ? [] : mistake.mistake.faults;
  if (fault) return say`${describeFault(fault)}.`;
  return names.length > 0 ? severalFound(names) : nothingFound(text);
}

/** Returns what was chosen in the first step, with what was set in the second before Back; a name and folders only for what they were set for. */
function resumed(kept: SubscribeRequest | null, chosen: SubscribeRequest): SubscribeRequest {
  if (kept === null) return chosen;
  const isSame = followedWords(kept.target) === followedWords(chosen.target);
  const { name, filters } = isSame
    ? kept
    : { name: undefined, filters: { ...kept.filters, paths: undefined } };
  return {
    ...kept,
    ...given(chosen),
    comprehensive: chosen.comprehensive && (!isSame || kept.comprehensive),
    filters: { ...filters, ...given(chosen.filters) },
    name: chosen.name ?? name,
  };
}

/** Returns an object without what is undefined in it. */
function given<Some extends object>(some: Some): Some {
  return Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Some;
}

/** Returns the conversation that a request in a form is for. */
async function formPlace(
  bot: Bot,
  asked: CommandContext,
  request: SubscribeRequest,
): Promise<CommandContext> {
  const isPersonal = request.personal === true;
  return atHome(bot, await placeOf(bot, asked, { isPersonal, isAboutChannel: true }));
}

/** Draws the second step again with all its fields. */
export async function showMore(
  bot: Bot,
  context: CommandContext,
  view: { id: string; private_metadata: string },
) {
  const formContext = readFormContext(view.private_metadata);
  const start = formContext && (await startOf(bot, formContext));
  const shown = start
    ? await drawForm(bot, context, { ...formContext, more: true }, start)
    : answerView(formOutdated);
  await bot.slack.updateForm(context, view.id, shown);
}

/** Draws the first step again. What was set in the second is there again after Next. */
export async function goBack(
  bot: Bot,
  context: CommandContext,
  viewId: string,
  ...sentForm: [metadata: string, fieldOf: FieldOf]
): Promise<void> {
  const sent = await readForm(bot, ...sentForm);
  await bot.slack.updateForm(context, viewId, sent ? await firstStep(bot, sent) : answerView(formOutdated));
}

async function firstStep(bot: Bot, { formContext, channelId, request }: FilledForm): Promise<ModalView> {
  const { channelId: openedFor, name } = formContext;
  const kept = {
    ...formContext,
    round: formContext.round + 1,
    chosenChannelId: channelId,
    start: await keepStart(bot, request),
  };
  const chosen = await optionFor(bot, plainRequest(request.target), name);
  return targetForm({ channelId: openedFor, metadata: JSON.stringify(kept), chosen });
}

/** A form as it was sent, with what it was opened with. */
export type FilledForm = FormRead & { readonly formContext: FormContext };

/** Reads the second step; null if it is too old. An edited subscription is asked for only what was changed, so that the rest stays. */
export async function readForm(bot: Bot, metadata: string, fieldOf: FieldOf): Promise<FilledForm | null> {
  const formContext = readFormContext(metadata);
  const start = formContext && (await startOf(bot, formContext));
  if (!start) return null;
  const form = readFields({ start, channelId: formContext.channelId }, fieldOf);
  const request = formContext.changeId === null ? form.request : onlyChanged(start, form.request);
  return { ...form, request, formContext };
}

/** Returns the shortest request that a typed line would need for the same: without what a new subscription is anyway. */
export function typedIn({
  formContext,
  request,
}: Pick<FilledForm, 'request' | 'formContext'>): SubscribeRequest {
  const { changeId, usual } = formContext;
  if (changeId !== null) return request;
  const when = usual === 'live' ? { when: usual } : undefined;
  return onlyChanged(
    { ...request, filters: {}, when, threads: false, name: undefined, ping: undefined },
    request,
  );
}

/** Returns why a channel that was chosen in the form cannot be subscribed by this person; null if it can. */
export async function whyNotThere(bot: Bot, context: CommandContext): Promise<Phrase | null> {
  const why = await bot.slack.mayPost(channelOf(context));
  if (why !== 'yes') return whyNotPostable(why, await bot.slack.botNameOf(context.person));
  try {
    await requireMaySee(bot, context);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return [sentence(error.answer.text)];
    throw error;
  }
}

function onlyChanged(
  start: SubscribeRequest,
  { filters, when, threads, name, ping, ...rest }: SubscribeRequest,
) {
  const changed = <Value>(before: Value, now: Value) => (isDeepStrictEqual(before, now) ? undefined : now);
  const list = (key: keyof typeof filters) => changed(start.filters[key] ?? [], filters[key] ?? []);
  return {
    ...rest,
    filters: Object.fromEntries((['only', 'paths', 'by', 'notBy'] as const).map((key) => [key, list(key)])),
    when: changed(start.when, when),
    threads: changed(start.threads, threads),
    name: changed(start.name, name),
    ping: changed(start.ping, ping),
  } as SubscribeRequest;
}

/** Shows a preview on top of the form, or what has to be corrected first. */
export async function showPreview(
  bot: Bot,
  context: CommandContext,
  ...sentForm: [metadata: string, fieldOf: FieldOf]
): Promise<void> {
  const { pushForm, updateForm } = bot.slack;
  const sent = await readForm(bot, ...sentForm);
  if (sent === null) return void (await pushForm(context, answerView(formOutdated)));
  const isFaulty = sent.faults.size > 0;
  const form = await pushForm(context, isFaulty ? previewFaults(sent.faults) : previewLoading);
  if (form === null || isFaulty) return;
  const reply = (message: Message) => updateForm(context, form.id, answerView(message));
  await answerRefusal(async () => {
    const preview = await previewOf(bot, { ...context, reply }, sent);
    await updateForm(context, form.id, previewView(preview));
  });
}

/** Returns what a new form stores. */
async function newContext(
  { slack, db }: Bot,
  { person, madeInChannel, responseUrl, copy }: CommandContext,
  channelId: string | null,
): Promise<FormContext> {
  const [{ zone }, { delivery }] = await Promise.all([slack.profileOf(person), settings.of(db, person)]);
  return formContextSchema.parse({
    channelId,
    responseUrl,
    madeInChannel: channelId !== null && madeInChannel,
    names: copy.commands,
    zone,
    isOwnZone: true,
    usual: delivery.when,
  });
}

/** Draws the second step for a new subscription, with the workspace's default delivery where the request says none. */
async function newForm(
  bot: Bot,
  context: CommandContext,
  formContext: FormContext,
  request: SubscribeRequest,
) {
  const reader = await within(lookUpMs, readerIn(bot, context)).catch(() => ({
    ...context,
    madeInChannel: false,
  }));
  const { target } = request;
  const [{ delivery }, name] = await Promise.all([
    settings.of(bot.db, context.person),
    target.kind === 'folder'
      ? within(lookUpMs, folderName(bot, reader, target)).catch(() => null)
      : namesShownTo(bot, reader, lookUpMs).then((found) => recognized(target, found).name),
  ]);
  const start = { ...request, when: request.when ?? delivery };
  return startForm(bot, context, { ...formContext, name }, start, { reader });
}

/** Draws the form that edits a subscription. */
function editForm(bot: Bot, context: CommandContext, formContext: FormContext, row: Subscription) {
  const { delivery } = row;
  const zone = 'zone' in delivery ? delivery.zone : undefined;
  const start = requestOf(row);
  const when =
    start.when && 'except' in start.when ? { ...start.when, ...exceptInOrder(start.when) } : start.when;
  const change = { name: row.resourceName, changeId: row.id };
  return startForm(bot, context, { ...formContext, ...change }, { ...start, when }, { zone });
}

/** Returns the exceptions in the order in which the form reads them, so that unchanged ones are the same. */
function exceptInOrder({ except = [] }: Exclude<TypedWhen, { when: 'live' }>) {
  return { except: eventTypes.filter((type) => except.includes(type)) };
}

/** Draws the second step as it is opened. */
async function startForm(
  bot: Bot,
  context: CommandContext,
  formContext: FormContext,
  start: SubscribeRequest,
  known: { readonly zone?: string | undefined; readonly reader?: Reader | undefined },
): Promise<ModalView> {
  const zoneSet = start.when && 'at' in start.when ? start.when.zone : undefined;
  const zone = known.zone ?? zoneSet ?? formContext.zone;
  const opened = {
    ...formContext,
    zone,
    isOwnZone: zone === formContext.zone,
    name: formContext.name?.slice(0, longestName).toWellFormed() ?? null,
    more: usesMore(start),
    start: await keepStart(bot, start),
  };
  return drawForm(bot, context, opened, start, known.reader);
}

/** Whether something is set that only the fields below More options show. */
function usesMore({
  filters: { paths = [], by = [], notBy = [] },
  when,
  threads,
  name,
  ping,
}: SubscribeRequest): boolean {
  const except = when && 'except' in when ? (when.except ?? []) : [];
  const isListed = [paths, by, notBy, except].some((list) => list.length > 0);
  return isListed || threads === true || Boolean(name) || Boolean(ping);
}

async function drawForm(
  bot: Bot,
  context: CommandContext,
  formContext: FormContext,
  start: SubscribeRequest,
  reader?: Reader,
): Promise<ModalView> {
  const { more, name, changeId, hasBack } = formContext;
  const [folders, names] = await Promise.all([
    more ? within(lookUpMs, foldersFor(bot, context, formContext, start, reader)).catch(() => []) : [],
    within(lookUpMs, namesOf(bot, context.person, usersIn(start.filters))).catch(
      () => new Map<string, string>(),
    ),
  ]);
  return subscribeForm(
    { ...formContext, start, folders, names },
    {
      recognized: { target: start.target, name },
      isEdit: changeId !== null,
      hasBack,
      metadata: JSON.stringify(formContext),
    },
  );
}

/** Returns the folders of the project that the person may know of. `known`: who that is, if that was asked already. */
async function foldersFor(
  bot: Bot,
  { person }: CommandContext,
  { channelId, madeInChannel, changeId }: FormContext,
  { target }: SubscribeRequest,
  known?: Reader,
): Promise<readonly KnownFolder[]> {
  if (!('projectId' in target)) return [];
  const reader = known ?? (await readerIn(bot, { person, channelId: channelId ?? '', madeInChannel }));
  const folders = knownFolders(await seenOf(bot, reader, target.projectId));
  // The form that edits a subscription shows its whole paths anyway.
  const isShort =
    changeId === null && channelId !== null && (await isDiscreet(bot, { ...person, channelId }));
  if (!isShort) return folders;
  // Only folders in which no other is, so that none of the names is one of a parent.
  const parents = new Set(folders.flatMap(({ path }) => path.map((_, end) => path.slice(0, end).join('/'))));
  return folders.flatMap((folder) => (parents.has(folder.path.join('/')) ? [] : { ...folder, isShort }));
}
