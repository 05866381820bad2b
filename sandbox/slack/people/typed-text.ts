import type { Directory } from '../directory.ts';

const ADDRESS = /https?:\/\/[^\s<>]+/g;
const NAMED = /(?<![\w@#&])([@#])([\p{L}\p{N}][\p{L}\p{N}._-]*)/gu;

function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function nameNamed(words: string, { users, channels }: Directory): string {
  return words.replaceAll(NAMED, (typed, sign: string, name: string) => {
    if (sign === '@') {
      const user = [...users.values()].find(
        (candidate) => candidate.name.toLowerCase() === name.toLowerCase(),
      );
      return user === undefined ? typed : `<@${user.id}|${user.name}>`;
    }
    const channel = [...channels.values()].find(
      (candidate) => candidate.name === name && candidate.kind !== 'im',
    );
    if (channel === undefined) return typed;
    return channel.kind === 'private' ? `<#${channel.id}|>` : `<#${channel.id}|${channel.name}>`;
  });
}

/**
 * Returns what Slack sends for text typed after a command with `should_escape`: people, channels and addresses become markup; `&`, `<` and
 * `>` are escaped elsewhere.
 */
export function escapeTyped(typed: string, directory: Directory): string {
  let result = '';
  let end = 0;
  for (const match of typed.matchAll(ADDRESS)) {
    result += nameNamed(escapeEntities(typed.slice(end, match.index)), directory);
    result += `<${escapeEntities(match[0])}>`;
    end = match.index + match[0].length;
  }
  return result + nameNamed(escapeEntities(typed.slice(end)), directory);
}
