import type { Bot } from '../../src/core/bot.ts';
import { accessTokenFor } from '../../src/core/linking/access-tokens.ts';
import { enterCode } from '../../src/core/linking/prove-person.ts';
import { cleanAttempts, startLink } from '../../src/core/linking/tickets.ts';
import { unlink } from '../../src/core/upstream/unlink.ts';

/** Returns what a test does about links with a bot, without a browser. */
export function boundLinking(bot: Bot) {
  const on =
    <Rest extends unknown[], Result>(run: (bot: Bot, ...rest: Rest) => Result) =>
    (...rest: Rest): Result =>
      run(bot, ...rest);
  return {
    startLink: on(startLink),
    enterCode: on(enterCode),
    cleanAttempts: on(cleanAttempts),
    unlink: on(unlink),
    accessTokenFor: on(accessTokenFor),
  };
}
