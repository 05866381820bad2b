import type { Installation, InstallationQuery } from '@slack/oauth';
import type { WebClientOptions } from '@slack/web-api';
import type { Clock } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { NotInstalledError } from './web-clients.ts';

/** An installation with its date in milliseconds since the epoch, which installations stored by an older release lack. */
export type Dated = Installation & { readonly installedAt?: number | undefined };

/**
 * Where the bot's installations are stored, by workspace or organization. They are written under a lock, so that a concurrent token refresh
 * cannot overwrite a new one.
 */
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
export function lockOf(id: string): string {
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
