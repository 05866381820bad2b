import { limits } from '../text/limits.ts';
import { context, type Message } from '../text/message.ts';
import { inText, type Phrase, say, typed } from '../text/phrase.ts';

/**
 * Adds the command that repeats what was entered to an answer about a form that has already closed. Returns the message unchanged if there
 * is no room, or if it has buttons: then it asks a question, and the request is stored for the answer.
 */
export function withTyped(message: Message, line: string): Message {
  const isQuestion = message.blocks.some(
    (block) => block.type === 'actions' || (block.type === 'section' && block.accessory !== undefined),
  );
  const again: Phrase = say`To try again: ${typed(line)}`;
  const text = `${message.text}\n${inText(again)}`;
  if (isQuestion || line.length > limits.path || text.length > limits.text) return message;
  return { text, blocks: [...message.blocks, context(again)] };
}
