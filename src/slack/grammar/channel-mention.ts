import { isOneOf } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import type { Word } from './words.ts';

/** The channel a line was typed in. Slack gives every private channel the same name. */
export type Here = { readonly channelId: string; readonly name: string | null };

const prepositions = ['to', 'in', 'into', 'for', 'from', 'of'];

/**
 * Throws `Misunderstood` if a line names a channel, since every command is about the channel it is typed in. The corrected line has no
 * channel, and can be run if the channel was this one.
 */
export function expectNoChannel(words: readonly Word[], here: Here | null): void {
  const at = words.findIndex((word, index) => namesChannel(word, words[index - 1] ?? null));
  const channel = words[at];
  if (!channel) return;
  const before = words[at - 1] ?? null;
  const from = before && isOneOf(before, prepositions) ? before : channel;
  const inPath = isOneOf(from, ['in']) ? ', or quotes around it if it is a folder' : '';
  const text = from === channel ? channel.text : `${from.text} ${channel.text}`;
  throw new Misunderstood(
    { ...channel, start: from.start, text },
    `no channel, since a command is for the channel it’s typed in${inPath}`,
    { meant: '', madeUp: !isHere(channel, here) },
  );
}

/** Whether a word is a channel. Slack marks up the ones it knows; ids of items and names to show can look like others. */
function namesChannel(word: Word, before: Word | null): boolean {
  if (word.quoted || isOneOf(before, ['by', 'as'])) return false;
  if (word.mark?.kind === 'channel') return true;
  const looksLikeOne = /^#[\p{L}\p{N}_-]{1,80}$/u.test(word.text) && /\p{L}/u.test(word.text);
  return looksLikeOne && (word.text === word.text.toLowerCase() || isOneOf(before, prepositions));
}

function isHere({ mark, text }: Word, here: Here | null): boolean {
  if (here === null) return false;
  return mark?.kind === 'channel' ? mark.id === here.channelId : text.slice(1).toLowerCase() === here.name;
}
