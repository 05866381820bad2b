import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Thrown by the `require…` functions if a person is not allowed to do what they asked for, or cannot do it yet. It ends the request; the
 * Slack adapter catches it and replies with the answer.
 */
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
