import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Thrown by the `require…` functions where a person may not do what they asked for, or cannot yet. It ends the request; the Slack
 * adapter catches it and replies with the answer.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Where the answer goes. */
  readonly context: CommandContext;
  /** Says why, and what to do about it. */
  readonly answer: Message;

  constructor(context: CommandContext, answer: Message) {
    // Without the answer's text: it may name people, and errors can end up in the log.
    super('refused');
    this.context = context;
    this.answer = answer;
  }
}

/** Does the work, and replies if it ends in a refusal. Any other error is thrown on, and so is one of the reply. */
export async function answerRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await error.context.reply(error.answer);
  }
}
