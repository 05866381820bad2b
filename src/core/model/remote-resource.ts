import { followsContents } from './filters.ts';
import type { Target } from './subscription.ts';

/** What a remote subscription follows. */
type Resource = { readonly target: Target; readonly comprehensive: boolean };

/**
 * Returns the resource of the remote subscription behind a subscription. The interface has comprehensive subscriptions of projects and
 * sessions only, so a folder with its contents uses one of its whole project, of which only the folder's events are posted.
 */
export function remoteResource({ target, comprehensive }: Resource): Resource {
  const isFolder = followsContents({ target, comprehensive });
  return isFolder && 'projectId' in target
    ? { target: { kind: 'project', projectId: target.projectId }, comprehensive }
    : { target, comprehensive };
}
