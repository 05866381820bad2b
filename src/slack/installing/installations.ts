import type { Installation, InstallationQuery } from '@slack/oauth';
import { WebAPIPlatformError, type WebClientOptions } from '@slack/web-api';
import { type Clock, hourMs, minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { retry } from '../../lib/retry.ts';
import type { RotatedToken } from './oauth.ts';
import { NotInstalledError, TokenUnavailableError } from './web-clients.ts';

/** An installation with its date in milliseconds since the epoch, which installations stored by an older release lack. */
export type Dated = Installation & { readonly installedAt?: number | undefined };

/** Where installations are stored, by workspace or organization; under a lock, so that no token refresh overwrites a new one. */
export type Installations = {
  readonly installed: {
    readonly get: (key: string) => Promise<Dated | undefined>;
    readonly set: (key: string, value: Dated) => Promise<void>;
    readonly deleteOld: (key: string, isOld: (value: Dated) => boolean) => Promise<void>;
  };
  /** Runs work while no process runs other work with the same name. */
  readonly lock: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
};

/** Stores an installation, in place of an older one. */
export async function storeInstallation(
  { installed, lock, clock }: Installations,
  installation: Dated,
): Promise<void> {
  const id = installationId(installation);
  // Refreshed tokens are stored with the fetched installation, which already has its date.
  await lock(lockOf(id), () => installed.set(id, { installedAt: clock.now().getTime(), ...installation }));
}

/** Fetches a workspace's installation, or its organization's. Throws `NotInstalledError` if there is neither. */
export async function fetchInstallation(
  { installed }: Pick<Installations, 'installed'>,
  query: InstallationQuery<boolean>,
): Promise<Installation> {
  for (const id of idsOf(query)) {
    const installation = await installed.get(id);
    if (installation) return installation;
  }
  throw new NotInstalledError('the bot is not installed in this workspace');
}

/** Deletes the installation of a workspace or organization with its token, unless it was made after `leftAt`. */
export function forgetInstallation(
  { installed, lock }: Installations,
  id: string,
  leftAt: Date,
): Promise<void> {
  return lock(lockOf(id), () =>
    installed.deleteOld(id, ({ installedAt = 0 }) => installedAt <= leftAt.getTime()),
  );
}

/** Returns the key of an installation: the id of its workspace or organization. Throws `NotInstalledError` if it has neither. */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined)
    throw new NotInstalledError('an installation names neither workspace nor organization');
  return id;
}

/** Returns the name of the lock under which an installation is written. */
function lockOf(id: string): string {
  return `installation ${id}`;
}

function idsOf({ isEnterpriseInstall, teamId, enterpriseId }: InstallationQuery<boolean>): string[] {
  const ids = isEnterpriseInstall ? [enterpriseId] : [teamId, enterpriseId];
  return ids.filter((id) => id !== undefined);
}

/** The Slack app, with which admins install the bot in any number of workspaces and organizations. */
export type SlackApp = Installations & {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Slack's page that asks an admin to approve the installation. */
  readonly authorizationUrl: string;
  /** Whether an admin is asked to let the bot preview links. */
  readonly previews: boolean;
  readonly clientOptions: WebClientOptions;
  /** Signs states; the same in all processes. */
  readonly stateKey: Uint8Array;
  /** Claims an id; false if it was already claimed. Atomic across all processes. */
  readonly takeId: (id: string, now: Date) => Promise<boolean>;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/** A token is refreshed when it expires within this time. Bolt uses the same value; it leaves room for many attempts. */
const refreshBeforeMs = 2 * hourMs;
/** When to try again to refresh a token that is still valid: not every caller has to wait for Slack while that is down. */
const tryAgainMs = minuteMs;
const storing = { first: 100, most: 2_000 };

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
  const triedAt = new Map<string, number>();

  return async (query: InstallationQuery<boolean>): Promise<Installation> => {
    const found = await fetchInstallation(deps, query);
    const now = deps.clock.now();
    if (!isDue(found, now)) return found;
    const id = installationId(found);
    const inFlight = flights.get(id);
    if (inFlight !== undefined) return inFlight;
    const at = deps.monotonic();
    const isTried = at - (triedAt.get(id) ?? Number.NEGATIVE_INFINITY) < tryAgainMs;
    if (isTried && !isOver(found, now)) return found;
    triedAt.set(id, at);
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
  function keep(id: string, installation: Installation): Promise<void> {
    return retry(() => deps.installed.set(id, installation), {
      waits: storing,
      shouldRetry: (_error, waitMs) => waitMs < storing.most,
      sleep: deps.sleep,
      failed: (error) =>
        deps.log.warn({ err: error, installation: id }, 'a refreshed Slack token could not be stored yet'),
    });
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
