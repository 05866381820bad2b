import type { Installation, InstallationQuery } from '@slack/oauth';
import { WebAPIPlatformError } from '@slack/web-api';
import { hourMs, minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { makeRateLimit } from '../../lib/rate-limit.ts';
import { fetchInstallation, type Installations, installationId, lockOf } from './installations.ts';
import type { RotatedToken } from './oauth.ts';
import { NotInstalledError, TokenUnavailableError } from './web-clients.ts';

/** A token is refreshed when it expires within this time. Bolt uses the same value; it leaves room for many attempts. */
const refreshBeforeMs = 2 * hourMs;
/** How often a process tries to refresh a token that is still valid, so that not every caller waits for Slack when it is down. */
const attempts = { most: 1, withinMs: minuteMs, keys: 1_000 };
const waitsBeforeStoringAgain = [100, 500, 2_000];

/** Slack's errors for a refresh token that it will never accept again. */
const final = new Set(['invalid_refresh_token', 'invalid_grant', 'token_revoked', 'account_inactive']);

type FreshInstallationsDeps = Installations & {
  /** Exchanges a refresh token, which uses it up. */
  readonly refresh: (refreshToken: string) => Promise<RotatedToken>;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/**
 * Fetches installations, refreshing their tokens in time if the app uses token rotation. A refresh token works only once, so there is one
 * refresh at a time. Callers in a process share it; other processes wait for the installation's lock, and check again once they hold it.
 *
 * Throws `NotInstalledError` if there is no installation, or if its token has expired and Slack refuses a new one. Throws
 * `TokenUnavailableError` if the token has expired and a later refresh may succeed.
 */
export function makeFreshInstallations(deps: FreshInstallationsDeps) {
  const flights = new Map<string, Promise<Installation>>();
  const mayTry = makeRateLimit({ ...attempts, now: deps.monotonic });

  return async (query: InstallationQuery<boolean>): Promise<Installation> => {
    const found = await fetchInstallation(deps, query);
    const now = deps.clock.now();
    if (!isDue(found, now)) return found;
    const id = installationId(found);
    const inFlight = flights.get(id);
    if (inFlight !== undefined) return inFlight;
    if (!mayTry.take(id).allowed && !isOver(found, now)) return found;
    const flight = refreshed(found, id).finally(() => flights.delete(id));
    flights.set(id, flight);
    return flight;
  };

  async function refreshed(found: Installation, id: string): Promise<Installation> {
    let gained: Installation | undefined;
    try {
      return await deps.lock(lockOf(id), async () => {
        const current = await deps.installed.get(id);
        if (!current) throw new NotInstalledError('the bot was uninstalled in the meantime');
        if (!current.bot?.refreshToken || !isDue(current, deps.clock.now())) return current;
        const token = await deps.refresh(current.bot.refreshToken);
        gained = { ...current, bot: { ...current.bot, ...token } };
        await keep(id, gained);
        deps.log.info({ installation: id }, 'a Slack token was refreshed');
        return gained;
      });
    } catch (error) {
      // The refresh token is used up, so the new tokens count even if the lock's transaction failed after the refresh.
      if (gained) return gained;
      if (error instanceof NotInstalledError) throw error;
      deps.log.warn({ err: error, installation: id }, 'a Slack token could not be refreshed');
      if (!isOver(found, deps.clock.now())) return found;
      if (error instanceof WebAPIPlatformError && final.has(error.data.error)) {
        throw new NotInstalledError('Slack no longer refreshes the token: install the bot again', {
          cause: error,
        });
      }
      throw new TokenUnavailableError('the token has expired and could not be refreshed', { cause: error });
    }
  }

  /** Stores refreshed tokens, with retries because Slack does not issue the same tokens twice. */
  async function keep(id: string, installation: Installation): Promise<void> {
    for (const wait of waitsBeforeStoringAgain) {
      try {
        return await deps.installed.set(id, installation);
      } catch (error) {
        deps.log.warn({ err: error, installation: id }, 'a refreshed Slack token could not be stored yet');
        await deps.sleep(wait);
      }
    }
    await deps.installed.set(id, installation);
  }
}

/** Whether a token must be refreshed; never true for a token that does not expire. */
function isDue({ bot }: Installation, now: Date): boolean {
  return endsBefore(bot, now.getTime() + refreshBeforeMs) && bot?.refreshToken !== undefined;
}

function isOver({ bot }: Installation, now: Date): boolean {
  return endsBefore(bot, now.getTime());
}

function endsBefore(bot: Installation['bot'], milliseconds: number): boolean {
  return typeof bot?.expiresAt === 'number' && bot.expiresAt * 1_000 <= milliseconds;
}
