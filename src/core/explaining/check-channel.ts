import * as findings from '../../messages/explaining/findings.ts';
import { stuckChannels } from '../../store/status.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as traces from '../../store/tables/traces.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { isDirect } from '../model/people.ts';
import { quietNow } from '../model/quiet-hours.ts';

type Lane = Awaited<ReturnType<typeof lanes.find>>;

/** The state of a channel, apart from its subscriptions. */
type ChannelCheck = { readonly lane: Lane; readonly findings: readonly findings.Finding[] };

/** Checks a channel's current state. Changes nothing. */
export async function checkChannel(bot: Bot, context: CommandContext): Promise<ChannelCheck> {
  const { db, slack, clock } = bot;
  const channel = channelOf(context);
  const now = clock.now();
  const [postable, lane, waiting, stuck, botName, off] = await Promise.all([
    slack.mayPost(channel),
    lanes.find(db, channel),
    traces.waiting(db, channel),
    stuckChannels(db, { now, limit: 1, only: channel }),
    slack.botNameOf(context.person),
    // Without the token, `posting` says what is wrong.
    slack.featuresOff(context.person).catch(() => null),
  ]);
  return {
    lane,
    findings: [
      findings.posting(postable, { botName, personal: isDirect(channel.channelId) }),
      ...laneFindings(lane, postable === 'yes', now),
      ...waiting.flatMap(({ state, reason, count, oldest }) => {
        if (state === 'dead') return findings.dead(count, reason ?? 'unknown');
        return reason === null ? findings.waiting(count, oldest, stuck.length > 0) : [];
      }),
      ...(off === null ? [] : [findings.features(off)]),
    ],
  };
}

function laneFindings(lane: Lane, isOpen: boolean, now: Date): findings.Finding[] {
  if (lane === null) return [];
  const { pausedReason, mutedUntil, quiet, notBefore, failures, setbacks } = lane;
  return [
    ...(pausedReason === null ? [] : [findings.closed(pausedReason, isOpen)]),
    ...(mutedUntil !== null && mutedUntil > now ? [findings.muted(mutedUntil)] : []),
    ...(quiet ? [findings.quiet(quiet, quietNow(lane, now))] : []),
    ...(notBefore !== null && notBefore > now && setbacks === 0
      ? [findings.delayed(notBefore, failures)]
      : []),
  ];
}
