import type { Finding } from '../../messages/explaining/findings.ts';
import { stuckChannels } from '../../store/status.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as traces from '../../store/tables/traces.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { isDirect } from '../model/people.ts';
import { quietNow } from '../model/quiet-hours.ts';
import type { Postable } from '../model/slack-access.ts';

type Lane = Awaited<ReturnType<typeof lanes.find>>;

/** The state of a channel, apart from its subscriptions. */
export type ChannelCheck = {
  readonly postable: Postable;
  readonly lane: Lane;
  readonly waiting: readonly traces.WaitingCount[];
  readonly findings: readonly Finding[];
};

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
  const findings: Finding[] = [
    { about: 'posting', postable, botName, personal: isDirect(channel.channelId) },
    ...laneFindings(lane, postable, now),
    ...waitingFindings(waiting, stuck.length > 0),
    ...(off === null ? [] : [{ about: 'features', off } as const]),
  ];
  return { postable, lane, waiting, findings };
}

function laneFindings(lane: Lane, postable: Postable, now: Date): Finding[] {
  if (lane === null) return [];
  const { pausedReason, mutedUntil, notBefore, failures, setbacks } = lane;
  return [
    ...(pausedReason === null
      ? []
      : [{ about: 'closed' as const, error: pausedReason, isOpenAgain: postable === 'yes' }]),
    ...(mutedUntil !== null && mutedUntil > now ? [{ about: 'muted' as const, until: mutedUntil }] : []),
    ...(lane.quiet ? [{ about: 'quiet' as const, hours: lane.quiet, until: quietNow(lane, now) }] : []),
    ...(notBefore !== null && notBefore > now && setbacks === 0
      ? [{ about: 'delay' as const, until: notBefore, failures }]
      : []),
  ];
}

function waitingFindings(waiting: readonly traces.WaitingCount[], isLate: boolean): Finding[] {
  return waiting.flatMap(({ state, reason, count, oldest }): Finding[] => {
    if (state === 'dead') return [{ about: 'dead', count, error: reason ?? 'unknown' }];
    return reason === null ? [{ about: 'waiting', count, oldest, isLate }] : [];
  });
}
