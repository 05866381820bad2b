import type { InputBlock, KnownBlock } from '@slack/types';
import type { TargetKind } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import { describeScope } from '../text/copy.ts';
import { joinPath } from '../text/escape.ts';
import { input, option, optionsOf, radioButtons, select, textField } from '../text/input.ts';
import { limits } from '../text/limits.ts';
import type { FormHints, FormValues, KnownFolder } from './form-values.ts';

export const resourceLabel = 'Link or id';

/** Makes the field for the link or id, and the others that say which resource is meant. */
export function targetFields(values: FormValues, hints: FormHints): KnownBlock[] {
  return [
    input(actionIds.formResource, {
      label: resourceLabel,
      hint: 'A link to a project or session, or its 9-digit id, such as 123-456-789.',
      dispatches: true,
      element: {
        ...textField({ text: values.resource, placeholder: 'https://…' }),
        dispatch_action_config: { trigger_actions_on: ['on_character_entered', 'on_enter_pressed'] },
      },
    }),
    ...kindField(values),
    ...itemFields(values, hints.folders),
  ];
}

const ofProject = { project: 'The project', folder: 'A folder in it', file: 'A file in it' };
const ofSession = { session: 'The session', document: 'A document in it' };
const ofEither = {
  project: 'A project',
  folder: 'A folder of a project',
  file: 'A file of a project',
  session: 'A session',
  document: 'A document of a session',
};

/**
 * Asks for the kind. A link says whether it leads to a project or a session, and only matching kinds are offered; a bare id does not say.
 * Each of the three choices is a field of its own, because Slack keeps a selection as long as the ids stay the same, even if it is no
 * longer an option.
 */
function kindField({ reference, kind }: FormValues): KnownBlock[] {
  if (reference === null) return [];
  switch (reference.kind) {
    case null:
      return [kindSelect(actionIds.formKind, { label: kindQuestion(reference.id), labels: ofEither, kind })];
    case 'project':
      return [kindSelect(actionIds.formKindProject, { ...detected, labels: ofProject, kind })];
    case 'session':
      return [kindSelect(actionIds.formKindSession, { ...detected, labels: ofSession, kind })];
    case 'folder':
    case 'file':
    case 'document':
      return [];
  }
}

/** Returns the question about a bare id, for its field and for errors. */
export function kindQuestion(id: string): string {
  return `What is ${id}?`;
}

const detected = { label: 'Subscribe to', hint: 'Detected from the link' };

function kindSelect(
  actionId: string,
  choice: {
    readonly label: string;
    readonly hint?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly kind: TargetKind | null;
  },
): InputBlock {
  const { label, hint, labels, kind } = choice;
  return input(actionId, {
    label,
    hint,
    dispatches: true,
    element: select(optionsOf(labels), kind, 'Choose'),
  });
}

export const folderLabel = 'Folder';

/** Returns the label of the field for the id of a folder, file or document. */
export function itemLabel(kind: TargetKind | null): string {
  return hasItemId(kind) ? `Id of the ${kind}` : resourceLabel;
}

/** Whether the resource is in a project or session and has an id of its own. */
export function hasItemId(kind: TargetKind | null): kind is 'folder' | 'file' | 'document' {
  return kind === 'folder' || kind === 'file' || kind === 'document';
}

function itemFields(values: FormValues, known: readonly KnownFolder[]): KnownBlock[] {
  const { kind, reference } = values;
  if (!hasItemId(kind) || hasItemId(reference?.kind ?? null)) return [];
  const options = kind === 'folder' ? folderOptions(known, ({ id }) => id) : [];
  if (options.length === 0) return [itemField(kind, values, {})];
  return [
    input(actionIds.formFolder, {
      label: folderLabel,
      hint: 'Folders with recent activity in your channels',
      optional: true,
      dispatches: true,
      element: select(options, values.folderId, 'Choose a folder'),
    }),
    itemField(kind, values, { label: 'Or its id', optional: true }),
  ];
}

function itemField(
  kind: 'folder' | 'file' | 'document',
  { item }: FormValues,
  { label = itemLabel(kind), optional }: { readonly label?: string; readonly optional?: boolean },
): InputBlock {
  return input(actionIds.formItem, {
    label,
    optional,
    dispatches: true,
    element: textField({ text: item, most: limits.itemId }),
  });
}

/** Makes options of known folders, by name. Skips folders whose value is empty, too long for Slack, or a duplicate. */
export function folderOptions(known: readonly KnownFolder[], toValue: (folder: KnownFolder) => string) {
  const values = new Map<string, KnownFolder>();
  for (const folder of known) {
    const value = toValue(folder);
    if (value !== '' && value.length <= limits.optionValue && !values.has(value)) values.set(value, folder);
  }
  return [...values]
    .slice(0, limits.options)
    .map(([value, { path, isShort }]) =>
      option(value, joinPath(isShort ? path.slice(-1) : path, limits.optionText)),
    );
}

/** Makes the field for the scope; nothing for a resource that has only one. */
export function scopeField(kind: TargetKind | null, { comprehensive }: FormValues): KnownBlock[] {
  if (kind === null || kind === 'document') return [];
  const label = (isWhole: boolean) =>
    `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${describeScope(kind, isWhole)}`;
  const options = optionsOf({ comprehensive: label(true), plain: label(false) });
  return [
    input(actionIds.formScope, {
      label: 'Scope',
      dispatches: true,
      element: radioButtons(options, comprehensive ? 'comprehensive' : 'plain'),
    }),
  ];
}
