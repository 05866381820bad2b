import { later } from '../../lib/durations.ts';
import { rest } from '../../store/tables/links.ts';
import type { Bot } from '../bot.ts';
import { accessTokenFor } from '../linking/access-tokens.ts';
import { serviceFailure } from '../model/service-error.ts';

/**
 * Calls the service with a person's link. A rejected token is renewed once and the call repeated; if it is rejected again, only linking again
 * helps. Stores how long the service asks to be left alone (`Retry-After`). Throws the service's other errors.
 * @returns `relink` if the service no longer accepts the person's tokens; they have been asked to link again
 */
export async function callService<T>(
  bot: Bot,
  linkId: string,
  call: (accessToken: string) => Promise<T>,
): Promise<T | 'relink'> {
  try {
    return await callOnce(bot, linkId, call);
  } catch (error) {
    const seconds = serviceFailure(error)?.retryAfterSeconds;
    if (seconds) await rest(bot.db, linkId, later(bot.clock.now(), seconds * 1_000));
    throw error;
  }
}

async function callOnce<T>(
  bot: Bot,
  linkId: string,
  call: (accessToken: string) => Promise<T>,
): Promise<T | 'relink'> {
  const first = await accessTokenFor(bot, linkId);
  if (first.outcome === 'relink') return 'relink';
  try {
    return await call(first.accessToken);
  } catch (error) {
    if (serviceFailure(error)?.kind !== 'unauthorized') throw error;
  }
  const second = await accessTokenFor(bot, linkId, { refused: first.accessToken });
  return second.outcome === 'relink' ? 'relink' : call(second.accessToken);
}
