import { followsContents } from './filters.ts';
import type { Scope } from './subscription.ts';

/**
 * Returns the resource of the remote subscription behind a subscription. The interface has comprehensive subscriptions of projects and
 * sessions only, so a folder with its contents uses one of its whole project, of which only the folder's events are posted.
 */
export function remoteResource({ target, comprehensive }: Scope): Scope {
  const isFolder = followsContents({ target, comprehensive });
  return isFolder && 'projectId' in target
    ? { target: { kind: 'project', projectId: target.projectId }, comprehensive }
    : { target, comprehensive };
}
