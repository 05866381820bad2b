import { hourMs, later } from '../../lib/durations.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as paces from '../../store/tables/paces.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Bot } from '../bot.ts';
import { channelFields } from '../model/log-fields.ts';
import { type Channel, isDirect, isUserId } from '../model/people.ts';
import { settle } from '../settling/settle.ts';
import type { PostOutcome } from '../slack.ts';
import { LaneLostError } from './mark-turn.ts';
import type { ClaimedLane } from './turn.ts';

/** An outcome after which the same message can be tried again. */
export type UnpostedOutcome = Exclude<PostOutcome, { kind: 'posted' | 'refused' }>;

/** Backoff after failures for which Slack asks no wait: 2 s, 4 s, up to 5 min. */
const backoffMs = { first: 2_000, most: 300_000 };
/** Attempts for one message: about a day's worth, or a few if Slack's error is unknown. */
const triesMost = { known: 300, unknown: 5 };
/** How often a workspace that is being moved into an organization is tried. */
const movingMs = hourMs;
/** The most a whole throttled workspace waits because of some lanes; those lanes wait as long as Slack asks. */
const throttledSeconds = 5;

/**
 * Makes a lane wait after nothing was posted, or nobody knows whether it was: as long as the outcome asks, or until the channel or
 * workspace opens again.
 * @returns the mark with which the lane is tried again. `give up`: the same message failed so often that it becomes a dead letter. `closed`:
 * the lane was freed, and a person has to open the channel first.
 */
export async function defer(
  bot: Bot,
  taken: ClaimedLane,
  outcome: UnpostedOutcome,
): Promise<Partial<TurnMark> | 'give up' | 'closed'> {
  const { lane } = taken;
  bot.log.warn({ ...channelFields(lane), outcome: outcome.kind, error: outcome.error }, 'post deferred');
  switch (outcome.kind) {
    case 'wait':
      return wait(bot, lane, outcome);
    case 'workspace moving': {
      const until = later(bot.clock.now(), movingMs);
      await paces.stopUntil(bot.db, lane, until);
      return { notBefore: until };
    }
    case 'channel closed':
      return (await isOnlyForAnnouncements(bot, lane)) ? 'give up' : close(bot, taken, outcome);
    case 'workspace closed':
      return (await isOnlyForAnnouncements(bot, lane))
        ? backOff(bot, taken, outcome)
        : close(bot, taken, outcome);
    default:
      return backOff(bot, taken, outcome);
  }
}

/** Whether a lane is a person's who follows nothing there. Nothing would open it again, so the next message tries anew. */
async function isOnlyForAnnouncements({ db }: Bot, lane: Channel): Promise<boolean> {
  if (isUserId(lane.channelId)) return true;
  return isDirect(lane.channelId) && (await subscriptions.ofChannel(db, lane)).length === 0;
}

async function wait(
  { db, clock }: Bot,
  lane: Channel,
  { seconds, error }: Extract<UnpostedOutcome, { kind: 'wait' }>,
): Promise<Partial<TurnMark>> {
  const at = clock.now();
  const notBefore = later(at, seconds * 1_000);
  if (error === 'message_limit_exceeded') await paces.stopUntil(db, lane, notBefore);
  if (error === 'ratelimited') await paces.noteLimited(db, lane, Math.min(seconds, throttledSeconds), at);
  return { notBefore };
}

function backOff(
  { clock }: Bot,
  taken: ClaimedLane,
  outcome: UnpostedOutcome,
): Partial<TurnMark> | 'give up' {
  const failures = taken.failures + 1;
  const isUnknown = outcome.kind === 'perhaps' && outcome.unknown === true;
  if (failures >= (isUnknown ? triesMost.unknown : triesMost.known)) return 'give up';
  const waitMs = Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);
  const notBefore = later(clock.now(), waitMs);
  return { notBefore, failures };
}

/** The channel is closed to the bot: notes that, unless an event has reopened it since the turn started. */
async function close(
  bot: Bot,
  { lane, fence, at }: ClaimedLane,
  { error }: Extract<UnpostedOutcome, { kind: 'channel closed' | 'workspace closed' }>,
): Promise<Partial<TurnMark> | 'closed'> {
  let standing = 'open';
  await settle(bot, lane, async ({ db }) => {
    standing = await lanes.pauseAfterTurn(db, lane, fence, { reason: error, since: at });
    if (standing === 'lost') throw new LaneLostError(lane);
  });
  return standing === 'open' ? {} : 'closed';
}
