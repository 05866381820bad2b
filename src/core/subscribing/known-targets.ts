import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { targetsOf } from '../model/service-urls.ts';
import type { Target } from '../model/subscription.ts';

/**
 * Returns what a bare id stands for in the subscriptions that a person may know of: those of the channel, their own, and those of public
 * channels that no other organization reads. What others follow in private is not used, or asking for an id would reveal it.
 */
export async function knownTargets(
  { db, slack }: Bot,
  { person, channelId }: CommandContext,
  id: string,
): Promise<readonly Target[]> {
  const rows = await subscriptions.ofParent(db, person, id);
  const isOwn = (row: (typeof rows)[number]) =>
    row.channelId === channelId || row.ownerUserId === person.userId;
  const open = rows.every(isOwn) ? null : await slack.publicChannelsOf(person);
  const seen = rows.filter((row) => isOwn(row) || (open?.has(row.channelId) && !row.isShared));
  return targetsOf({ kind: 'unknown', id }).filter(({ kind }) =>
    seen.some((row) => row.isSession === (kind === 'session')),
  );
}
