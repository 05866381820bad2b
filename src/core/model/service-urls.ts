import type { Change } from './change.ts';
import type { Followed } from './request.ts';
import type { Target } from './subscription.ts';
import { isItemId, readNineDigits } from './typed-text.ts';

/** URLs with placeholders such as `{project}`, by the kind of thing they open. */
export type UrlTemplates = {
  readonly project: string | undefined;
  /** Files and folders. */
  readonly item: string | undefined;
  readonly session: string | undefined;
  readonly document: string | undefined;
};

/** Returns whether the admin set any address, without which links are neither made nor previewed. */
export function hasTemplates(templates: UrlTemplates): boolean {
  return Object.values(templates).some((template) => template !== undefined);
}

/** Browsers take these for steps within a path, even percent-encoded, so the link would lead elsewhere. */
const isStep = /^\.\.?$/;

const placeholder = /\{(\w*)\}/g;

/** Returns the URL that opens what a change is about; null if no template is set for it or one of its ids is unknown. */
export function urlOf(change: Change, templates: UrlTemplates): string | null {
  const template = templateFor(change.kind, templates);
  if (template === undefined) return null;
  const ids: Readonly<Record<string, string | null | undefined>> = {
    project: change.within?.kind === 'project' ? change.within.id : null,
    session: change.within?.kind === 'session' ? change.within.id : null,
    item: change.itemId,
    document: change.itemId,
  };
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name);
  if (names.some((name) => !ids[name] || isStep.test(ids[name] ?? ''))) return null;
  return template.replace(placeholder, (_, name: string) =>
    encodeURIComponent((ids[name] ?? '').toWellFormed()),
  );
}

function templateFor(kind: Change['kind'], templates: UrlTemplates): string | undefined {
  switch (kind) {
    case 'file':
    case 'folder':
    case 'item':
      return templates.item;
    case 'project':
    case 'session':
    case 'document':
      return templates[kind];
    case 'other':
      return undefined;
  }
}

/** What a link leads to. `item`: a file or a folder, as links do not say which. */
export type LinkedTarget =
  | Followed
  | { readonly kind: 'item'; readonly projectId: string; readonly itemId: string };

/** Returns what a channel can follow of what a link leads to: one, or two if the link does not say which. */
export function targetsOf(linked: LinkedTarget): readonly [Target, ...Target[]] {
  if (linked.kind === 'item')
    return [
      { ...linked, kind: 'file' },
      { ...linked, kind: 'folder' },
    ];
  if (linked.kind !== 'unknown') return [linked];
  return [
    { kind: 'project', projectId: linked.id },
    { kind: 'session', sessionId: linked.id },
  ];
}

/** Returns the first link in a text as it was typed; null if there is none. */
export const linkIn = (text: string): string | null => /\bhttps?:\/\/\S+/i.exec(text)?.[0] ?? null;

type Ids = Readonly<Partial<Record<string, string>>>;

/** The most specific first, in case an admin's addresses are alike. */
const readers: readonly (readonly [keyof UrlTemplates, (ids: Ids) => LinkedTarget | null])[] = [
  [
    'document',
    ({ session, document }) =>
      session && document ? { kind: 'document', sessionId: session, documentId: document } : null,
  ],
  [
    'item',
    ({ project, item }) => (project && item ? { kind: 'item', projectId: project, itemId: item } : null),
  ],
  ['session', ({ session }) => (session ? { kind: 'session', sessionId: session } : null)],
  ['project', ({ project }) => (project ? { kind: 'project', projectId: project } : null)],
];

/** Returns what a link leads to if scheme, host and path fit an address of the admin, with an id in any grouping. Null for any other link. */
export function linkedTarget(link: string, templates: UrlTemplates): LinkedTarget | null {
  for (const [kind, read] of readers) {
    const template = templates[kind];
    const ids = template === undefined ? null : idsIn(link, template);
    const target = ids && read(ids);
    if (target) return target;
  }
  return null;
}

/** How a placeholder looks in a parsed URL, in which braces would be encoded. */
const marked = /~~(\w+)~~/g;

function idsIn(link: string, template: string): Ids | null {
  if (!URL.canParse(link)) return null;
  const [wanted, given] = [new URL(template.replace(placeholder, '~~$1~~')), new URL(link)];
  if (wanted.origin !== given.origin) return null;
  const names = [...pathOf(wanted).matchAll(marked)].map(([, name = '']) => name);
  const form = pathOf(wanted)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(marked, '([^/]+)');
  const found = new RegExp(`^${form}$`).exec(pathOf(given));
  return (
    found && Object.fromEntries(names.map((name, index) => [name, idFrom(name, found[index + 1] ?? '')]))
  );
}

/** A slash at the end makes no difference. */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

/** Returns an empty string for what can be no such id. */
function idFrom(name: string, encoded: string): string {
  const text = decoded(encoded, '');
  if (name === 'project' || name === 'session') return readNineDigits(text) ?? '';
  return isItemId(text) ? text : '';
}

/** Returns a part of a URL decoded; `otherwise` if it can't be. */
export function decoded(part: string, otherwise: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return otherwise;
  }
}
