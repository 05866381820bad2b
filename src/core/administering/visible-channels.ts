import type { SlackPerson } from '../model/people.ts';
import type { AdministeringRoomDeps } from './administering-deps.ts';

/**
 * Returns the channels whose subscriptions a person can see and manage from outside the channel: those they are in and, for admins, all
 * public ones. `complete` is false if Slack could not say everything; unknown channels are not visible.
 */
type VisibleChannels = (
  person: SlackPerson,
) => Promise<{ readonly ids: ReadonlySet<string>; readonly admin: boolean; readonly complete: boolean }>;

/** What the files of this room take that show or act on what a person can see. */
export type VisibleChannelsDeps = AdministeringRoomDeps & { readonly visibleChannels: VisibleChannels };

export function makeVisibleChannels(deps: AdministeringRoomDeps): VisibleChannels {
  return async (person) => {
    const admin = await deps.isAdmin(person);
    const [own, open] = await Promise.all([
      deps.channelsOf(person),
      admin ? deps.publicChannelsOf(person) : new Set<string>(),
    ]);
    return {
      ids: new Set([...(own ?? []), ...(open ?? [])]),
      admin,
      complete: own !== null && open !== null,
    };
  };
}
