import type { Scope, Target } from './subscription.ts';

/**
 * Returns whether a subscription already posts everything that one to `target` would, because it follows the whole project or session
 * around it.
 */
export function covers({ target: wider, comprehensive }: Scope, target: Target): boolean {
  if (!comprehensive) return false;
  switch (target.kind) {
    case 'folder':
    case 'file':
      return wider.kind === 'project' && wider.projectId === target.projectId;
    case 'document':
      return wider.kind === 'session' && wider.sessionId === target.sessionId;
    case 'project':
    case 'session':
      return false;
  }
}
