import { hasContents } from '../../core/model/format-request.ts';
import type { Followed, SubscribeRequest, TypedFilters, TypedWhen } from '../../core/model/request.ts';
import { daysOfWeek, eventTypes, type TargetKind } from '../../core/model/subscription.ts';
import type { FormContext, FormUnderstood } from '../../core/subscribing/form-context.ts';
import { hasItemId } from '../../messages/subscribing/form-target.ts';
import type {
  FormFaults,
  FormField,
  FormPeople,
  FormValues,
  Reference,
} from '../../messages/subscribing/form-values.ts';
import { blockIds } from '../../messages/text/action-ids.ts';
import {
  type ParsedField,
  parseItemId,
  parseName,
  parsePaths,
  parsePeople,
  parseResource,
  parseTogether,
} from '../grammar/parse-fields.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

/** Reads the fields of the subscribe form. A hidden field has the value kept in the form's context. */
export function readFormFields(values: FieldValues, { change, kept }: FormContext): FormValues {
  const isShown = (blockId: string) => fieldIn(values, blockId) !== undefined;
  const text = (blockId: string) => fieldIn(values, blockId)?.value ?? '';
  const option = (blockId: string) => fieldIn(values, blockId)?.selected_option?.value;
  const ticked = (blockId: string) =>
    (fieldIn(values, blockId)?.selected_options ?? []).flatMap(({ value }) => value ?? []);
  const people = (usersId: string, emailsId: string): FormPeople | null =>
    kept.more && !isShown(emailsId)
      ? null
      : { userIds: fieldIn(values, usersId)?.selected_users ?? [], emails: text(emailsId) };
  const types = ticked(blockIds.formTypes);
  const resource = text(blockIds.formResource);
  const reference = change === null ? referenceIn(resource) : null;
  return {
    channelId: fieldIn(values, blockIds.formChannel)?.selected_conversation ?? null,
    resource,
    reference,
    kind: change?.now.target.kind ?? kindOf(reference, option),
    folderId: isShown(blockIds.formFolder) ? (option(blockIds.formFolder) ?? null) : kept.folderId,
    item: isShown(blockIds.formItem) ? text(blockIds.formItem) : kept.item,
    comprehensive: isShown(blockIds.formScope) ? option(blockIds.formScope) !== 'plain' : kept.comprehensive,
    types: eventTypes.filter((type) => types.includes(type)),
    when: whenOf(option(blockIds.formWhen)),
    at: fieldIn(values, blockIds.formAt)?.selected_time ?? kept.at,
    weekdays: isShown(blockIds.formDays) ? option(blockIds.formDays) === 'weekdays' : kept.weekdays,
    day: daysOfWeek.find((day) => day === option(blockIds.formDay)) ?? kept.day,
    exceptDeleted: isShown(blockIds.formExcept) ? ticked(blockIds.formExcept).length > 0 : kept.exceptDeleted,
    more: kept.more,
    folders: ticked(blockIds.formFolders),
    paths: kept.more && !isShown(blockIds.formPaths) ? null : text(blockIds.formPaths),
    by: people(blockIds.formByUsers, blockIds.formByEmails),
    notBy: people(blockIds.formNotByUsers, blockIds.formNotByEmails),
    threads: ticked(blockIds.formThreads).length > 0,
    name: text(blockIds.formName),
  };
}

/** Returns what the link or id refers to, as far as it says; null if it cannot be parsed. */
function referenceIn(resource: string): Reference | null {
  const parsed = parseResource(resource, null);
  if (!parsed.ok) return null;
  const { value } = parsed;
  if (value.kind === 'unknown') return { id: value.id, kind: null };
  return { id: 'projectId' in value ? value.projectId : value.sessionId, kind: value.kind };
}

/** Returns the kind of resource. A link to a project or session can stand for something in it; for a bare id the person chooses. */
function kindOf(
  reference: Reference | null,
  option: (blockId: string) => string | undefined,
): TargetKind | null {
  switch (reference?.kind) {
    case undefined:
      return null;
    case null:
      return targetKindOf(option(blockIds.formKind));
    case 'project':
      return targetKindOf(option(blockIds.formKindProject)) ?? 'project';
    case 'session':
      return targetKindOf(option(blockIds.formKindSession)) ?? 'session';
    default:
      return reference?.kind ?? null;
  }
}

/** Parses all fields, each by the grammar of the typed command, so that all errors can be shown at once. */
export function understandForm(values: FormValues, formContext: FormContext): FormUnderstood {
  const faults: FieldFaults = {};
  const channelId = formContext.channelId ?? values.channelId;
  if (channelId === null) faults[blockIds.formChannel] = { word: null, expected: 'a channel' };
  const target = formContext.change?.now.target ?? understandTarget(values, faults);
  const filters = understandFilters(values, faults);
  const name = noted(faults, blockIds.formName, values.name.trim() === '' ? null : parseName(values.name));
  const isFaulty = Object.keys(faults).length > 0;
  const request =
    target === null || isFaulty ? null : requestOf({ target, filters, name }, { values, formContext });
  return { channelId, request, faults };
}

const targetKinds: readonly TargetKind[] = ['project', 'folder', 'file', 'session', 'document'];

type FieldFaults = Partial<Record<FormField, FormFaults[FormField]>>;

/** Returns the value of a field; if it could not be read, adds why to `faults`. Takes null for a field that is not read. */
function noted<T>(faults: FieldFaults, field: FormField, parsed: ParsedField<T> | null): T | undefined {
  if (parsed && !parsed.ok) faults[field] = parsed.mistake;
  return parsed?.ok ? parsed.value : undefined;
}

function understandTarget(values: FormValues, faults: FieldFaults): Followed | null {
  const { reference, kind, resource } = values;
  const isWhole = hasItemId(reference?.kind ?? null);
  const target = noted(faults, blockIds.formResource, parseResource(resource, isWhole ? null : kind));
  if (target?.kind === 'unknown') {
    faults[blockIds.formKind] = { word: null, expected: `what ${target.id} is` };
    return null;
  }
  if (!target) return null;
  return !isWhole && hasItemId(kind) ? withItem(target, { ...values, kind }, faults) : target;
}

/** Returns the folder, file or document in the project or session that the link or id refers to. */
function withItem(
  target: Followed,
  { kind, item, folderId }: FormValues & { readonly kind: 'folder' | 'file' | 'document' },
  faults: FieldFaults,
): Followed | null {
  const chosen = kind === 'folder' && item.trim() === '' ? folderId : null;
  const itemId = noted(faults, blockIds.formItem, parseItemId(chosen ?? item, kind));
  if (itemId === undefined) return null;
  if (kind === 'document') {
    return target.kind === 'session' ? { kind, sessionId: target.sessionId, documentId: itemId } : null;
  }
  return target.kind === 'project' ? { kind, projectId: target.projectId, itemId } : null;
}

/** Filters and threads below More options stay undefined while those fields are not shown, so that a saved form leaves them as they are. */
function understandFilters(values: FormValues, faults: FieldFaults): TypedFilters {
  const { types } = values;
  // All ticked, or none, means everything, including types that the service may add later.
  const only = types.length === eventTypes.length ? [] : types;
  return values.more ? { only, ...understandMore(values, faults) } : { only };
}

function understandMore(values: FormValues, faults: FieldFaults): TypedFilters {
  const { folders, paths } = values;
  const lines = paths === null ? null : [...folders, paths].join('\n');
  const globs = noted(faults, blockIds.formPaths, lines === null ? null : parsePaths(lines));
  const by = noted(faults, blockIds.formByEmails, values.by && parsePeople(values.by));
  const notBy = noted(faults, blockIds.formNotByEmails, values.notBy && parsePeople(values.notBy));
  if (by?.length && notBy?.length) noted(faults, blockIds.formNotByEmails, parseTogether({ by, notBy }));
  return { paths: globs && [...new Set(globs)], by, notBy };
}

type Understood = {
  readonly target: Followed;
  readonly filters: TypedFilters;
  readonly name: string | undefined;
};

function requestOf(
  { target, filters, name }: Understood,
  { values, formContext }: { readonly values: FormValues; readonly formContext: FormContext },
): SubscribeRequest {
  return {
    act: 'subscribe',
    target,
    comprehensive: hasContents(target) && values.comprehensive,
    filters,
    when: whenFrom(values, formContext),
    threads: values.more ? values.threads : undefined,
    name,
  };
}

/** Returns the chosen delivery; undefined if unchanged, so that it keeps its time zone, which may be another person's. */
function whenFrom(values: FormValues, { change }: FormContext): TypedWhen | undefined {
  const before = change?.now.when;
  const wanted = typedWhen(values, before);
  return before && isSame(before, wanted) ? undefined : wanted;
}

function isSame(one: TypedWhen, other: TypedWhen): boolean {
  const key = (when: TypedWhen) =>
    JSON.stringify([
      when.when,
      'at' in when && when.at,
      'weekdays' in when && when.weekdays,
      'day' in when && when.day,
      'except' in when && eventTypes.filter((type) => when.except?.includes(type)),
    ]);
  return key(one) === key(other);
}

/** Returns the delivery in the form. The form asks only about deletions, so other exceptions stay as they are. */
function typedWhen(
  { when, at, weekdays, day, exceptDeleted }: FormValues,
  before: TypedWhen | undefined,
): TypedWhen {
  const kept = before && 'except' in before ? (before.except ?? []) : [];
  const types = eventTypes.filter((type) => (type === 'delete' ? exceptDeleted : kept.includes(type)));
  const except = types.length === 0 ? {} : { except: types };
  switch (when) {
    case 'live':
      return { when };
    case 'hourly':
      return { when, ...except };
    case 'daily':
      return { when, at, ...(weekdays ? { weekdays } : {}), ...except };
    case 'weekly':
      return { when, day, at, ...except };
  }
}

function whenOf(value: string | undefined): FormValues['when'] {
  return value === 'hourly' || value === 'daily' || value === 'weekly' ? value : 'live';
}

function targetKindOf(value: string | undefined): TargetKind | null {
  return targetKinds.find((kind) => kind === value) ?? null;
}
