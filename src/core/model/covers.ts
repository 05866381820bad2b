import { isDeepStrictEqual } from 'node:util';
import { isIn } from './filters.ts';
import type { Filters, Scope, Target } from './subscription.ts';

/**
 * Returns whether a subscription already posts everything that one to `target` would: it follows the whole project, session or folder around
 * it, and its filters pass all that the other's do. `idPath`: of `target`, as last seen; null if unknown.
 */
export function covers(
  { target: wider, comprehensive, filters }: Scope & { readonly filters: Filters },
  { target, filters: wanted }: { readonly target: Target; readonly filters: Filters },
  idPath: string | null,
): boolean {
  if (!comprehensive || !passesAll(filters, wanted)) return false;
  switch (target.kind) {
    case 'folder':
    case 'file':
      if (wider.kind === 'folder') return wider.projectId === target.projectId && isIn(idPath, wider.itemId);
      return wider.kind === 'project' && wider.projectId === target.projectId;
    case 'document':
      return wider.kind === 'session' && wider.sessionId === target.sessionId;
    case 'project':
    case 'session':
      return false;
  }
}

/** Whether everything that `wanted` lets pass certainly passes `wider` too. Patterns are compared as they are written. */
function passesAll(wider: Filters, wanted: Filters): boolean {
  const [kept, excluded] = [(path: string) => !path.startsWith('!'), (path: string) => path.startsWith('!')];
  return (
    isWithin(wanted.only, wider.only) &&
    isWithin(wanted.by, wider.by) &&
    isWithin(wanted.paths.filter(kept), wider.paths.filter(kept)) &&
    isPartOf(wider.notBy, wanted.notBy) &&
    isPartOf(wider.paths.filter(excluded), wanted.paths.filter(excluded))
  );
}

/** Whether a list of what passes allows no more than another. An empty one allows everything. */
function isWithin(list: readonly unknown[], other: readonly unknown[]): boolean {
  return other.length === 0 || (list.length > 0 && isPartOf(list, other));
}

function isPartOf(list: readonly unknown[], other: readonly unknown[]): boolean {
  return list.every((one) => other.some((each) => isDeepStrictEqual(one, each)));
}
