import { minuteMs } from '../../lib/durations.ts';
import { refused, tooManyTries } from '../../messages/subscribing/refusals.ts';
import * as commandTries from '../../store/tables/command-tries.ts';
import * as seenRequests from '../../store/tables/seen-requests.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';

const commandLimit = { most: 30, withinMs: minuteMs };

/** Throws a `Refusal` unless the person is a full member of the workspace and is within the rate limit. */
export async function requireAdmission({ db, clock, slack }: Bot, context: CommandContext): Promise<void> {
  const { person } = context;
  // Counted over all processes.
  const allowance = await commandTries.take(db, person, commandLimit, clock.now());
  if (!allowance.allowed) throw new Refusal(context, tooManyTries(allowance.retryInSeconds));
  const { standing } = await slack.currentProfileOf(person);
  if (standing !== 'member') throw new Refusal(context, refused(standing === 'bot' ? 'stranger' : standing));
}

/** Claims something that may happen once in so many milliseconds, a day at most; false if it happened within them, in any process. */
export const takeOnceIn = (bot: Bot, what: string, withinMs: number): Promise<boolean> =>
  seenRequests.takeAgain(bot.db, what, bot.clock.now(), withinMs);

/** Marks a Slack request as seen by what recognizes it; false if any process has seen it before. */
export const takeOnce = ({ db, clock }: Bot, id: string): Promise<boolean> =>
  seenRequests.take(db, id, clock.now());
