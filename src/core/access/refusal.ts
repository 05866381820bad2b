import { randomUUID } from 'node:crypto';
import { keysChanging, unexpectedError } from '../../messages/subscribing/answers.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import type { Message } from '../../messages/text/message.ts';
import { isKeyMissing } from '../../store/sealing/sealing.ts';
import type { Bot } from '../bot.ts';
import { contextFields } from '../model/log-fields.ts';
import { PersonUnknown } from '../slack.ts';
import type { CommandContext } from './command-context.ts';

/** Thrown by the `require…` functions if a person may not do what they asked for, or not yet. The Slack adapter replies with the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Where the answer is sent. */
  readonly context: CommandContext;
  /** Says why, and what the person can do about it. */
  readonly answer: Message;

  constructor(context: CommandContext, answer: Message) {
    // Not the answer's text, which may name people: errors can reach the log.
    super('refused');
    this.context = context;
    this.answer = answer;
  }
}

/** Runs the work, and replies if it ends in a refusal. Rethrows any other error, including one from the reply. */
export async function answerRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await error.context.reply(error.answer);
  }
}

/** Logs that a request failed. Returns the reference by which an admin finds the line. */
export function noteFailure({ log }: Pick<Bot, 'log'>, error: unknown, context?: CommandContext): string {
  const reference = randomUUID().slice(0, 8);
  log.error({ err: error, reference, ...(context && contextFields(context)) }, 'a Slack request failed');
  return reference;
}

/** Logs that a request failed. Returns the answer for the person who asked. */
export function failureAnswer(bot: Pick<Bot, 'log'>, error: unknown, context: CommandContext): Message {
  const reference = noteFailure(bot, error, context);
  if (error instanceof PersonUnknown) return refused('unknown');
  return isKeyMissing(error) ? keysChanging : unexpectedError(reference);
}

/** Runs the work, and replies if it ends in a refusal or fails, which is logged. Never throws. */
export async function answerFailures(
  bot: Pick<Bot, 'log'>,
  context: CommandContext,
  work: () => Promise<void>,
): Promise<void> {
  await answerRefusal(work)
    .catch((error: unknown) => context.reply(failureAnswer(bot, error, context)))
    .catch((error: unknown) => {
      const fields = { err: error, ...contextFields(context) };
      bot.log.error(fields, 'a failure could not be reported to the person');
    });
}
