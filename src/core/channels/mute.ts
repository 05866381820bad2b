import { later, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { notMuted } from '../../messages/subscribing/answers.ts';
import { channelMuted, channelUnmuted } from '../../messages/subscribing/channel-announcements.ts';
import { cannotPost } from '../../messages/subscribing/refusals.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { whoActs } from '../access/who-acts.ts';
import type { AuditAct } from '../model/audit-act.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { unmutedSubject } from '../model/summary-lead.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { ReplyIfClosed } from './reply-if-closed.ts';

type MuteDeps = ChannelsRoomDeps & { readonly replyIfClosed: ReplyIfClosed };

/** The audit log's name for muting a channel, whose id is the subject. */
export const muteAct: AuditAct = 'mute';

/** Silences a channel for a while. Its events are held, and posted in one summary afterwards. */
export function makeMute(deps: MuteDeps) {
  const { clock, lanes } = deps;
  const by = (context: CommandContext) => whoActs(context, deps.profileOf);

  /** Ends an expired mute. Held events are posted before new ones. */
  async function end(lane: Channel): Promise<void> {
    const waiting = await deps.inTransaction(async ({ events, lanes, subscriptions }) => {
      if (!(await lanes.endMute(lane, clock.now()))) return 0;
      const ids = (await subscriptions.ofChannel(lane)).map(({ id }) => id);
      return events.releaseHeld(lane, 'muted', ids);
    });
    if (waiting > 0) await deps.enqueue(lane);
  }

  return {
    end,

    /** Mutes the channel. Refuses if the bot cannot post there: there is nothing to mute, and nobody would see the announcement. */
    async mute(context: CommandContext, minutes: number): Promise<void> {
      const lane = channelOf(context);
      const why = await deps.mayPost(lane);
      if (why !== 'yes' && why !== 'unknown') {
        throw new Refusal(context, cannotPost({ why, botName: await deps.botNameOf(lane) }));
      }
      const until = later(clock.now(), minutes * minuteMs);
      const announcement = channelMuted(await by(context), until);
      // In one transaction, so a channel is never muted without an announcement.
      await deps.inTransaction(async ({ announce, audit, lanes }) => {
        await lanes.mute(lane, until);
        await announce(lane, announcement);
        await audit(context, muteAct, lane.channelId);
      });
    },

    /** Ends a mute early. */
    async unmute(context: CommandContext): Promise<void> {
      const lane = channelOf(context);
      const until = await lanes.mutedUntil(lane);
      if (until === null || until <= clock.now()) return context.reply(notMuted(isDirect(lane.channelId)));
      const who = await by(context);
      // In one transaction, so the summary cannot be posted before its announcement.
      const announcement = await deps.inTransaction(async (tables) => {
        const { announce, events, lanes, subscriptions } = tables;
        await lanes.mute(lane, null);
        const ids = (await subscriptions.ofChannel(lane)).map(({ id }) => id);
        // The newest events may not have been held yet.
        await events.hold(lane, 'muted');
        const waiting = await events.releaseHeld(lane, 'muted', ids);
        const unmuted = channelUnmuted(who, waiting);
        await announce(lane, unmuted, unmutedSubject);
        await tables.audit(context, 'unmute', lane.channelId);
        return unmuted;
      });
      await deps.replyIfClosed(context, announcement);
    },

    /** Ends mutes that have expired. Runs every minute. */
    async endOver(lanesOver: readonly Channel[]): Promise<void> {
      await forEachRow(lanesOver, end, (error, { teamId: team, channelId: channel }) =>
        deps.log.warn({ err: error, team, channel }, 'could not end an expired mute'),
      );
    },
  };
}

export type Mute = ReturnType<typeof makeMute>;
