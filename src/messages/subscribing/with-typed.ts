import { limits } from '../text/limits.ts';
import { context, type Message } from '../text/message.ts';
import { inText, type Phrase, typed } from '../text/phrase.ts';

/**
 * Adds the command that repeats what was entered to an answer about a form that has already closed. A message with buttons asks a question
 * and stores the request itself, so it is returned unchanged. So is one for whose command there is no room.
 */
export function withTyped(message: Message, line: string): Message {
  const isQuestion = message.blocks.some(
    (block) => block.type === 'actions' || (block.type === 'section' && block.accessory !== undefined),
  );
  const again: Phrase = ['To try again: ', typed(line)];
  const text = `${message.text}\n${inText(again)}`;
  if (isQuestion || line.length > limits.path || text.length > limits.text) return message;
  return { text, blocks: [...message.blocks, context(again)] };
}
