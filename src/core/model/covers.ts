import { isIn } from './filters.ts';
import type { Scope, Target } from './subscription.ts';

/**
 * Returns whether a subscription already posts everything that one to `target` would, because it follows the whole project, session or
 * folder around it. `idPath`: the ids of the folders around `target`, as last seen; null if unknown.
 */
export function covers(
  { target: wider, comprehensive }: Scope,
  target: Target,
  idPath: string | null,
): boolean {
  if (!comprehensive) return false;
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
