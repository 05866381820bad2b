import type { Change } from './change.ts';

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
