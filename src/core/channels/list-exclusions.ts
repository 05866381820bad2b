import type { ExcludedThing } from '../../messages/subscribing/exclusions.ts';
import type { Muted } from '../../messages/subscribing/lists.ts';
import type { Exclusions } from '../../store/tables/exclusions.ts';
import type { ExclusionSubject } from '../model/exclusion.ts';
import { namesOf } from '../model/names-of.ts';
import { type Channel, isDirect, type ProfileOf, type Workspace } from '../model/people.ts';
import { lastOnly } from './present-changes.ts';

export type NameExcludedDeps = {
  /** Returns the name to show in a channel for the person at the service with this email address. */
  readonly actorNameIn: (channel: Channel, email: string) => Promise<string>;
  /** Whether people of another organization can read the channel, so details are shortened. */
  readonly isDiscreet: (channel: Channel) => Promise<boolean>;
};

type ListExclusionsDeps = NameExcludedDeps & {
  readonly exclusions: Pick<Exclusions, 'ofChannels'>;
  readonly profileOf: ProfileOf;
};

/** Returns what is muted or hidden in channels of a workspace, newest first, in the form that lists show. */
export type ListExclusions = (
  workspace: Workspace,
  channelIds: readonly string[],
) => Promise<(Muted & { readonly channelId: string })[]>;

export function makeListExclusions(deps: ListExclusionsDeps): ListExclusions {
  return async (workspace, channelIds) => {
    const rows = await deps.exclusions.ofChannels(workspace, channelIds);
    const names = await namesOf(
      deps.profileOf,
      rows.filter(({ channelId }) => !isDirect(channelId)).map((row) => ({ ...row, userId: row.byUserId })),
    );
    return Promise.all(
      rows.map(async ({ id, subject, byUserId: userId, ...channel }) => {
        const name = names.get(userId);
        return {
          value: id,
          what: await nameExcluded(deps, channel, subject),
          by: name === undefined ? undefined : { userId, name },
          channelId: channel.channelId,
        };
      }),
    );
  };
}

/** Returns what is excluded, with the name to show in its channel. */
export async function nameExcluded(
  { actorNameIn, isDiscreet }: NameExcludedDeps,
  channel: Channel,
  subject: ExclusionSubject,
): Promise<ExcludedThing> {
  if (subject.kind === 'person') return { kind: 'person', name: await actorNameIn(channel, subject.key) };
  // Stored as it was shown then; the channel may have become shared since.
  return (await isDiscreet(channel)) ? { ...subject, folder: lastOnly(subject.folder) } : subject;
}
