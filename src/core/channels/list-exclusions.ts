import type { ExcludedThing } from '../../messages/subscribing/exclusions.ts';
import type { Muted } from '../../messages/subscribing/lists.ts';
import type { Exclusions } from '../../store/tables/exclusions.ts';
import type { ExclusionSubject } from '../model/exclusion.ts';
import { type Channel, isDirect, type ProfileOf, type Workspace } from '../model/people.ts';

export type NameExcludedDeps = {
  /** What somebody at the service is called in a channel, by their e-mail address. */
  readonly actorNameIn: (channel: Channel, email: string) => Promise<string>;
};

export type ListExclusionsDeps = NameExcludedDeps & {
  readonly exclusions: Pick<Exclusions, 'ofChannels'>;
  readonly profileOf: ProfileOf;
};

/** What is muted or skipped in some channels of a workspace, as lists show it, the newest first. */
export type ListExclusions = (
  workspace: Workspace,
  channelIds: readonly string[],
) => Promise<(Muted & { readonly channelId: string })[]>;

export function makeListExclusions(deps: ListExclusionsDeps): ListExclusions {
  return async (workspace, channelIds) => {
    const rows = await deps.exclusions.ofChannels(workspace, channelIds);
    return Promise.all(
      rows.map(async ({ id, subject, byUserId: userId, ...channel }) => {
        // A list is worth having with one name missing.
        const profile = await deps.profileOf({ ...channel, userId }).catch(() => null);
        const by =
          isDirect(channel.channelId) || profile === null ? undefined : { userId, name: profile.name };
        return {
          value: id,
          what: await nameExcluded(deps, channel, subject),
          by,
          channelId: channel.channelId,
        };
      }),
    );
  };
}

/** What is excluded, by the name that is shown in its channel. */
export async function nameExcluded(
  { actorNameIn }: NameExcludedDeps,
  channel: Channel,
  subject: ExclusionSubject,
): Promise<ExcludedThing> {
  return subject.kind === 'item'
    ? subject
    : { kind: 'person', name: await actorNameIn(channel, subject.key) };
}
