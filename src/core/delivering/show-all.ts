import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { minuteMs } from '../../lib/durations.ts';
import { parseJson } from '../../lib/text.ts';
import { showAllGone, showAllSoon, showAllView } from '../../messages/activity/show-all.ts';
import * as events from '../../store/tables/events.ts';
import * as settings from '../../store/tables/settings.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { atHome } from '../access/place.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import type { Channel } from '../model/people.ts';
import { recallChanges } from './recall-changes.ts';

/** How long after a post its events may not be stored yet, in milliseconds: usually a moment, but as long as the database is unavailable. */
const notedWithinMs = 10 * minuteMs;
/** How often to read a new message's events before answering that they will follow: Slack waits 3 s for a form. */
const reads = { most: 10, everyMs: 100 };

/** What a form lists, as its metadata says: the changes of a message, all or those with a part of a name, and in which order. */
type ShownList = z.infer<typeof listSchema>;
const listSchema = z.object({
  channelId: z.string(),
  messageTs: z.string(),
  find: z.string().optional(),
  newest: z.boolean().optional(),
});

/** Returns the form that lists the changes of a message in the person's channel, by name. `page` counts from 0. */
export async function showAll(
  bot: Bot,
  context: CommandContext,
  { page, ...list }: Omit<ShownList, 'channelId'> & { readonly page: number },
): Promise<ReturnType<typeof showAllView>> {
  const channel = channelOf(context);
  const { messageTs, find, newest } = list;
  const [posted, { signs }] = await Promise.all([
    postedIn(bot, channel, messageTs),
    settings.of(bot.db, channel),
  ]);
  const changes = await recallChanges(bot, channel, posted);
  if (changes.length === 0) return isNew(bot, messageTs) ? showAllSoon : showAllGone;
  const metadata = JSON.stringify({ channelId: channel.channelId, ...list } satisfies ShownList);
  return showAllView({ changes, page, metadata, find, isNewestFirst: newest, signed: signs });
}

/** Returns the form with what has a part of a name. Throws a `Refusal` unless the person may see the channel. */
export async function findInList(
  bot: Bot,
  context: CommandContext,
  list: ShownList,
  find: string,
): Promise<ReturnType<typeof showAllView>> {
  const there = await atHome(bot, context.about(list.channelId));
  await requireMaySee(bot, there);
  return showAll(bot, there, { messageTs: list.messageTs, newest: list.newest, find, page: 0 });
}

/** Returns what the form with this metadata lists; null if it is not ours. */
export function listShown(metadata: string): ShownList | null {
  return listSchema.safeParse(parseJson(metadata)).data ?? null;
}

async function postedIn(bot: Bot, channel: Channel, messageTs: string): Promise<events.PostedEvent[]> {
  for (let read = 1; ; read += 1) {
    const posted = await events.ofMessage(bot.db, channel, messageTs);
    if (posted.length > 0 || read >= reads.most || !isNew(bot, messageTs)) return posted;
    await sleep(reads.everyMs);
  }
}

/** A message's `ts` is its time, in seconds. */
function isNew({ clock }: Bot, messageTs: string): boolean {
  return clock.now().getTime() - Number(messageTs) * 1_000 < notedWithinMs;
}
