import type { ExcludedThing } from '../../messages/subscribing/exclusions.ts';
import type { Muted } from '../../messages/subscribing/lists.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import { actorNameIn, isDiscreet, lastOnly } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import type { ExclusionSubject } from '../model/filters.ts';
import { type Channel, isDirect, namesOf, type Workspace } from '../model/people.ts';

/** Returns what is muted or hidden in channels of a workspace, newest first, in the form that lists show. */
export async function listExclusions(
  bot: Bot,
  workspace: Workspace,
  channelIds: readonly string[],
): Promise<(Muted & { readonly channelId: string })[]> {
  const rows = await exclusions.ofChannels(bot.db, workspace, channelIds);
  const names = await namesOf(
    bot.slack.profileOf,
    rows.filter(({ channelId }) => !isDirect(channelId)).map((row) => ({ ...row, userId: row.byUserId })),
  );
  return Promise.all(
    rows.map(async ({ id, subject, byUserId: userId, ...channel }) => {
      const name = names.get(userId);
      return {
        value: id,
        what: await nameExcluded(bot, channel, subject),
        by: name === undefined ? undefined : { userId, name },
        channelId: channel.channelId,
      };
    }),
  );
}

/** Returns what is excluded, with the name to show in its channel. */
export async function nameExcluded(
  bot: Bot,
  channel: Channel,
  subject: ExclusionSubject,
): Promise<ExcludedThing> {
  if (subject.kind === 'person') {
    return { kind: 'person', name: await actorNameIn(bot, channel, subject.key) };
  }
  // Stored as it was shown then; the channel may have become shared since.
  return (await isDiscreet(bot, channel)) ? { ...subject, folder: lastOnly(subject.folder) } : subject;
}
