import { single } from './received.ts';
import { nineDigits } from './resources.ts';
import type { SwitchBoard } from './switches.ts';

/** What a create asks for, if its form is valid; whether the objects exist has not been checked yet. */
export type Wanted = { uri: string } & (
  | { kind: 'project'; projectId: string }
  | { kind: 'item'; projectId: string; itemId: string; itemKind: 'File' | 'Folder' }
  | { kind: 'session'; sessionId: string }
  | { kind: 'document'; sessionId: string; documentId: string }
);

export type Invalid = { invalid: string };

/** The interface's rules: the exact fields of each kind, in addition to ParentResourceType and Uri. */
const fieldsOf = {
  project: ['ProjectId'],
  item: ['ProjectId', 'ItemType', 'ProjectItemId'],
  session: ['SessionId'],
  document: ['SessionId', 'SessionDocumentId'],
} as const;
const ALL_FIELDS = ['ProjectId', 'ItemType', 'ProjectItemId', 'SessionId', 'SessionDocumentId'];

/** Reads the form of a create, plain or comprehensive, by the interface's rules 1 to 5 and the switches. */
export function readCreateForm(form: URLSearchParams, switches: SwitchBoard): Wanted | Invalid {
  const kind = kindOf(form, switches);
  if (typeof kind === 'object') return kind;
  const uri = single(form, 'Uri');
  if (uri === undefined || !isWebAddress(uri)) return { invalid: 'Uri must be an absolute address.' };
  const fields: readonly string[] = fieldsOf[kind];
  const missing = fields.find((name) => single(form, name) === undefined);
  if (missing !== undefined) return { invalid: `${missing} is required.` };
  const extra = ALL_FIELDS.find((name) => form.has(name) && !fields.includes(name));
  if (extra !== undefined) return { invalid: `${extra} is not allowed here.` };
  return read(kind, form, { uri, switches });
}

function kindOf(form: URLSearchParams, switches: SwitchBoard): Wanted['kind'] | Invalid {
  const parent = single(form, 'ParentResourceType');
  const side = switches.get('documentParentType');
  if (parent === 'Projects') return 'project';
  if (parent === 'ProjectItems') return 'item';
  if (parent === 'SessionDocuments' && side !== 'Sessions') return 'document';
  if (parent === 'Sessions') {
    return form.has('SessionDocumentId') && side !== 'SessionDocuments' ? 'document' : 'session';
  }
  return { invalid: 'ParentResourceType is not valid.' };
}

type Rest = { uri: string; switches: SwitchBoard };

function read(kind: Wanted['kind'], form: URLSearchParams, { uri, switches }: Rest): Wanted | Invalid {
  const container = kind === 'project' || kind === 'item' ? 'ProjectId' : 'SessionId';
  const id = requestId(single(form, container) ?? '', switches);
  if (id === undefined) return { invalid: `${container} must be three groups of three digits.` };
  switch (kind) {
    case 'project':
      return { kind, uri, projectId: id };
    case 'session':
      return { kind, uri, sessionId: id };
    case 'document':
      return { kind, uri, sessionId: id, documentId: single(form, 'SessionDocumentId') ?? '' };
    case 'item': {
      const itemKind = itemKindOf(single(form, 'ItemType') ?? '', switches);
      if (!itemKind) return { invalid: 'ItemType is not valid.' };
      return { kind, uri, projectId: id, itemKind, itemId: single(form, 'ProjectItemId') ?? '' };
    }
  }
}

function requestId(written: string, switches: SwitchBoard): string | undefined {
  if (switches.get('requestIds') === 'hyphens only' && !written.includes('-')) return;
  return nineDigits(written);
}

function itemKindOf(written: string, switches: SwitchBoard): 'File' | 'Folder' | undefined {
  const side = switches.get('requestItemType');
  const lower = { file: 'File', folder: 'Folder' } as const;
  const capitalized = { File: 'File', Folder: 'Folder' } as const;
  const taken: Partial<Record<string, 'File' | 'Folder'>> = {
    ...(side === 'capitalized' ? {} : lower),
    ...(side === 'lower' ? {} : capitalized),
  };
  return taken[written];
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
