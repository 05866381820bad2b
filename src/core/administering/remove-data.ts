import { dataRemoved, removeDataForm } from '../../messages/admin/remove-data.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import * as removeData from '../../store/remove-data.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoOf } from '../access/people-names.ts';
import { homeOf } from '../access/place.ts';
import { Refusal } from '../access/refusal.ts';
import { emailsOf } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import type { SlackPerson } from '../model/people.ts';
import { removeSubscriptions } from '../subscribing/unsubscribe.ts';
import { unlink } from '../upstream/unlink.ts';
import { visibleChannels } from './workspace.ts';

/** Opens the form in which an admin chooses whose data, a channel's or a person's, is removed. */
export async function showRemoveData({ slack }: Bot, context: CommandContext): Promise<void> {
  await slack.openForm(context, removeDataForm());
}

/** Ends the rows; an announcement in each channel says what was removed there. */
async function endAll(bot: Bot, context: CommandContext, rows: readonly Subscription[]): Promise<void> {
  for (const group of Map.groupBy(rows, ({ channelId }) => channelId).values()) {
    const [first] = group;
    if (first) {
      const there = { ...context.about(first.channelId), reply: async () => undefined };
      await removeSubscriptions(bot, there, group, { canUndo: false });
    }
  }
}

/** Removes everything about a channel that the admin may see, and ends its subscriptions. */
export async function removeChannel(
  bot: Bot,
  context: CommandContext,
  { channelId }: { readonly channelId: string },
): Promise<void> {
  const { ids } = await visibleChannels(bot, context.person);
  // The list of their channels may be stale and lack the newest.
  const isVisible = ids.has(channelId) || (await bot.slack.isInChannel(context.person, channelId)) === 'yes';
  if (!isVisible) throw new Refusal(context, refused('not in channel'));
  const channel = channelOf({ ...context, channelId });
  const rows = await subscriptions.ofChannel(bot.db, channel);
  // First, since what follows is many transactions, and the process may die in between.
  await writeAudit(bot, context.about(channelId), 'remove channel', channelId);
  await endAll(bot, context, rows);
  await removeData.ofChannel(bot.db, channel);
  // An admin of one workspace must not remove what another one of the organization stores.
  const isElsewhere = (await homeOf(bot, channel)).teamId !== channel.teamId;
  await context.reply(dataRemoved({ kind: 'channel', channelId, isElsewhere }, rows.length));
}

/** Removes everything about a person, and ends their subscriptions and their link. */
export async function removePerson(
  bot: Bot,
  context: CommandContext,
  { userId }: { readonly userId: string },
): Promise<void> {
  const person: SlackPerson = { ...context.person, userId };
  const who = await whoOf(bot, person, userId);
  // Looked up before the link is removed, because the link knows one of them.
  const emails = (await emailsOf(bot, person, userId).catch(() => null)) ?? [];
  const [all, link] = await Promise.all([subscriptions.ofOwner(bot.db, person), links.of(bot.db, person)]);
  const rows = all.filter(({ teamId }) => teamId === person.teamId);
  await writeAudit(bot, context, 'remove person', userId);
  await endAll(bot, context, rows);
  // One link serves all workspaces of an organization: an admin of one must not remove it for the others.
  const isOfOthers = rows.length < all.length || (rows.length === 0 && link?.teamId !== person.teamId);
  if (!isOfOthers) await unlink(bot, person, { by: context.person });
  await removeData.ofPerson(bot.db, person, emails);
  await context.reply(dataRemoved({ kind: 'person', who }, rows.length));
}
