import type { Scope } from './subscription.ts';

/**
 * Returns what a subscription has at the service, and what instead if the service refuses that (403 or 404); null if nothing can replace it.
 *
 * The interface has comprehensive subscriptions to projects and sessions only, and a plain one to a file may not report its saves. So a
 * folder with its contents and a file with its new versions have one to their whole project, of which only their own events are posted.
 */
export function remoteScope(scope: Scope): { readonly scope: Scope; readonly ifRefused: Scope | null } {
  const { target, comprehensive } = scope;
  if (!isCarried(scope) || !('itemId' in target)) return { scope, ifRefused: null };
  return {
    scope: { target: { kind: 'project', projectId: target.projectId }, comprehensive },
    ifRefused: target.kind === 'file' ? { target, comprehensive: false } : null,
  };
}

/** Returns whether a folder or file is followed through a remote subscription to its whole project. */
export function isCarried({ target, comprehensive }: Scope): boolean {
  return comprehensive && 'itemId' in target;
}
