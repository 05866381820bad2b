import type { IsAdmin } from '../access/admins.ts';
import type { ChannelsOf } from '../access/channels-of.ts';
import type { SlackPerson, Workspace } from '../model/people.ts';

/** Ids of the public channels of a workspace. Null where Slack could not be asked. Never throws. */
export type PublicChannelsOf = (workspace: Workspace) => Promise<ReadonlySet<string> | null>;

export type VisibleChannelsDeps = {
  readonly isAdmin: IsAdmin;
  readonly channelsOf: ChannelsOf;
  readonly publicChannelsOf: PublicChannelsOf;
};

/**
 * The channels whose subscriptions a person may see and manage outside of the channel itself: those they are in, and for admins all
 * public ones. `complete` is false where Slack could not say everything; what is not known is not visible.
 */
export type VisibleChannels = (
  person: SlackPerson,
) => Promise<{ readonly ids: ReadonlySet<string>; readonly admin: boolean; readonly complete: boolean }>;

export function makeVisibleChannels(deps: VisibleChannelsDeps): VisibleChannels {
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
