import { minuteMs } from '../../lib/durations.ts';
import { showAllGone, showAllSoon, showAllView } from '../../messages/activity/show-all.ts';
import type { Events, PostedEvent } from '../../store/tables/events.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { Clock } from '../model/clock.ts';
import type { Channel, Workspace } from '../model/people.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { recallChanges } from './recall-changes.ts';

/** Returns the form that lists every change of a message. `page` counts from 0. */
export type ShowAll = (
  context: CommandContext,
  message: { readonly messageTs: string; readonly page: number },
) => Promise<ReturnType<typeof showAllView>>;

type ShowAllDeps = {
  readonly events: Pick<Events, 'ofMessage'>;
  readonly bot: Bot;
  readonly settingsOf: (workspace: Workspace) => Promise<Pick<WorkspaceSettings, 'signs'>>;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** How long after a post its events may not be stored yet, in milliseconds: usually a moment, but as long as the database is unavailable. */
const notedWithinMs = 10 * minuteMs;
/** How often to look for a new message's events before answering that they will follow: Slack waits 3 s for a form. */
const looks = { most: 10, everyMs: 100 };

/** Lists what a message in the person's channel shows, by name. */
export function makeShowAll({ bot, events, settingsOf, clock, sleep }: ShowAllDeps): ShowAll {
  return async (context, { messageTs, page }) => {
    const channel = channelOf(context);
    const [posted, { signs }] = await Promise.all([postedIn(channel, messageTs), settingsOf(channel)]);
    const changes = await recallChanges(bot, channel, posted);
    if (changes.length === 0) return isNew(messageTs) ? showAllSoon : showAllGone;
    const metadata = JSON.stringify({ channelId: channel.channelId, messageTs });
    return showAllView({ changes, page, metadata, signed: signs });
  };

  async function postedIn(channel: Channel, messageTs: string): Promise<PostedEvent[]> {
    for (let look = 1; ; look += 1) {
      const posted = await events.ofMessage(channel, messageTs);
      if (posted.length > 0 || look >= looks.most || !isNew(messageTs)) return posted;
      await sleep(looks.everyMs);
    }
  }

  /** A message's `ts` is its time, in seconds. */
  function isNew(messageTs: string): boolean {
    return clock.now().getTime() - Number(messageTs) * 1_000 < notedWithinMs;
  }
}
