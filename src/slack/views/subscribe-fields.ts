import type { Followed, SubscribeRequest, TypedFilters, TypedWhen } from '../../core/model/request.ts';
import { type EventType, eventTypes, type TargetKind } from '../../core/model/subscription.ts';
import type { FormContext, FormUnderstood } from '../../core/subscribing/form-context.ts';
import type {
  FormFaults,
  FormField,
  FormPeople,
  FormValues,
} from '../../messages/subscribing/subscribe-form.ts';
import { blockIds } from '../../messages/text/action-ids.ts';
import {
  type ParsedField,
  parseItemId,
  parsePaths,
  parsePeople,
  parseResource,
  parseTogether,
} from '../grammar/parse-fields.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

/** Reads the fields of the form that subscribes. A field that is not there is left as it is. */
export function readFormFields(values: FieldValues, formContext: FormContext): FormValues {
  const text = (blockId: string) => fieldIn(values, blockId)?.value ?? '';
  const option = (blockId: string) => fieldIn(values, blockId)?.selected_option?.value;
  const ticked = (blockId: string) =>
    (fieldIn(values, blockId)?.selected_options ?? []).flatMap(({ value }) => value ?? []);
  const people = (usersId: string, emailsId: string): FormPeople | null =>
    fieldIn(values, emailsId) === undefined
      ? null
      : { userIds: fieldIn(values, usersId)?.selected_users ?? [], emails: text(emailsId) };
  const types = ticked(blockIds.formTypes);
  return {
    channelId: fieldIn(values, blockIds.formChannel)?.selected_conversation ?? null,
    kind: formContext.change?.now.target.kind ?? targetKindOf(option(blockIds.formKind)),
    resource: text(blockIds.formResource),
    item: text(blockIds.formItem),
    comprehensive: option(blockIds.formExtent) !== 'plain',
    types: eventTypes.filter((type) => types.includes(type)),
    paths: fieldIn(values, blockIds.formPaths) === undefined ? null : text(blockIds.formPaths),
    by: people(blockIds.formByUsers, blockIds.formByEmails),
    notBy: people(blockIds.formNotByUsers, blockIds.formNotByEmails),
    when: whenOf(option(blockIds.formWhen)),
    at: fieldIn(values, blockIds.formAt)?.selected_time ?? usualTime,
    threads: ticked(blockIds.formThreads).length > 0,
    anyway: ticked(blockIds.formAnyway).length > 0,
  };
}

/** Understands all fields at once, each by the grammar of the typed command, so that all that is wrong can be told at once. */
export function understandForm(values: FormValues, formContext: FormContext): FormUnderstood {
  const faults: Faults = {};
  const channelId = formContext.channelId ?? values.channelId;
  if (channelId === null) faults[blockIds.formChannel] = { word: null, expected: 'a channel' };
  const target = formContext.change?.now.target ?? understandTarget(values, faults);
  const filters = understandFilters(values, faults);
  const isFaulty = Object.keys(faults).length > 0;
  const request =
    target === null || isFaulty ? null : requestOf({ target, filters }, { values, formContext });
  return { channelId, request, faults, anyway: values.anyway };
}

const usualTime = '09:00';
const targetKinds: readonly TargetKind[] = ['project', 'folder', 'file', 'session', 'document'];

type Faults = Partial<Record<FormField, FormFaults[FormField]>>;

function understandTarget({ kind, resource, item }: FormValues, faults: Faults): Followed | null {
  const parsed = parseResource(resource, kind);
  if (!parsed.ok) faults[blockIds.formResource] = parsed.mistake;
  const target = parsed.ok ? parsed.value : null;
  if (target?.kind === 'unknown') {
    const expected = `a choice here, as ${target.id} can be a project or a session`;
    faults[blockIds.formKind] = { word: null, expected };
    return null;
  }
  if (kind !== 'folder' && kind !== 'file' && kind !== 'document') return target;
  const itemId = parseItemId(item, kind);
  if (!itemId.ok) faults[blockIds.formItem] = itemId.mistake;
  if (!itemId.ok || target === null) return null;
  if (kind === 'document') {
    return target.kind === 'session' ? { kind, sessionId: target.sessionId, documentId: itemId.value } : null;
  }
  return target.kind === 'project' ? { kind, projectId: target.projectId, itemId: itemId.value } : null;
}

function understandFilters(values: FormValues, faults: Faults): TypedFilters {
  const { types, paths } = values;
  const noted = <T>(field: FormField, parsed: ParsedField<T> | null): T | undefined => {
    if (parsed && !parsed.ok) faults[field] = parsed.mistake;
    return parsed?.ok ? parsed.value : undefined;
  };
  const globs = noted(blockIds.formPaths, paths === null ? null : parsePaths(paths));
  const by = noted(blockIds.formByEmails, values.by && parsePeople('by', values.by));
  const notBy = noted(blockIds.formNotByEmails, values.notBy && parsePeople('notBy', values.notBy));
  if (by?.length && notBy?.length) noted(blockIds.formNotByEmails, parseTogether({ by, notBy }));
  return { only: onlyOf(types), paths: globs, by, notBy };
}

/** All ticked, or none, is everything: also types that the service may have some day. */
function onlyOf(types: readonly EventType[]): readonly EventType[] {
  return types.length === eventTypes.length ? [] : types;
}

function requestOf(
  { target, filters }: { readonly target: Followed; readonly filters: TypedFilters },
  { values, formContext }: { readonly values: FormValues; readonly formContext: FormContext },
): SubscribeRequest {
  const hasContents = target.kind === 'project' || target.kind === 'session';
  return {
    act: 'subscribe',
    target,
    comprehensive: hasContents && values.comprehensive,
    filters,
    when: whenFrom(values, formContext),
    threads: values.threads,
  };
}

/** A time that was not touched stays on the clock it was on, which may be another person's. */
function whenFrom({ when, at }: FormValues, { change }: FormContext): TypedWhen | undefined {
  const wanted: TypedWhen = when === 'daily' ? { when, at } : { when };
  const before = change?.now.when;
  const isSame =
    before?.when === wanted.when &&
    (before.when !== 'daily' || wanted.when !== 'daily' || before.at === wanted.at);
  return isSame ? undefined : wanted;
}

function whenOf(value: string | undefined): FormValues['when'] {
  return value === 'hourly' || value === 'daily' ? value : 'live';
}

function targetKindOf(value: string | undefined): TargetKind | null {
  return targetKinds.find((kind) => kind === value) ?? null;
}
