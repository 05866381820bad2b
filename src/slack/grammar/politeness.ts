import { fold, type Part } from './words.ts';

const polite = ['please', 'pls', 'plz', 'kindly', 'thanks', 'thx', 'ty', 'bitte', 'danke', 'gracias'];

/** Whether a word asks for nothing: it is only polite, or an emoji (also as Slack names them, `:wave:`). A quoted word never is. */
export function isPolite({ text, quoted }: Pick<Part, 'text' | 'quoted'>): boolean {
  if (quoted) return false;
  if (polite.includes(fold(text).replace(/[!.,?]+$/, '')) || /^:[\w+-]+:$/.test(text)) return true;
  return /\p{Extended_Pictographic}/u.test(text) && !/[\p{L}\p{N}]/u.test(text);
}
