import { limits } from '../text/limits.ts';
import { context, type Message } from '../text/message.ts';
import { inText, type Phrase, typed } from '../text/phrase.ts';

/**
 * An answer to a form that is closed by now, with the command that does what was filled in. A message with buttons asks for something
 * else first and keeps the request itself, so it stays as it is; so does one whose command is too long to show whole.
 */
export function withTyped(message: Message, line: string): Message {
  const isQuestion = message.blocks.some(
    (block) => block.type === 'actions' || (block.type === 'section' && block.accessory !== undefined),
  );
  if (isQuestion || line.length > limits.path) return message;
  const again: Phrase = ['To try again: ', typed(line)];
  return {
    text: `${message.text}\n${inText(again)}`.slice(0, limits.text),
    blocks: [...message.blocks, context(again)],
  };
}
