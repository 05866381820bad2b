import type { Installation, InstallationQuery, InstallationStore } from '@slack/oauth';
import { NotInstalledError } from './web-clients.ts';

/** An installation with its date in milliseconds since the epoch, which installations stored by an older release lack. */
export type Dated = Installation & { readonly installedAt?: number | undefined };

export type InstallationRecords = {
  readonly get: (key: string) => Promise<Dated | undefined>;
  readonly set: (key: string, value: Dated) => Promise<void>;
  readonly deleteOld: (key: string, isOld: (value: Dated) => boolean) => Promise<void>;
};

export type Installations = Pick<InstallationStore, 'storeInstallation' | 'fetchInstallation'> & {
  /** Finds the installation with this id, and when it was made if known; null if there is none. */
  readonly find: (id: string) => Promise<{ readonly installedAt: Date | null } | null>;
  /** Deletes the installation with this id, unless it was made after `leftAt`. */
  readonly forgetOld: (id: string, leftAt: Date) => Promise<void>;
};

/** Runs work while no process runs other work with the same name. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Stores and fetches the bot's installations, by workspace or organization. A workspace without an installation of its own uses its
 * organization's. Installations are written under a lock, so that a concurrent token refresh cannot overwrite a new one.
 */
export function makeInstallations(deps: {
  readonly records: InstallationRecords;
  readonly lock: Lock;
  readonly now: () => Date;
}): Installations {
  const { records, lock, now } = deps;
  return {
    async storeInstallation(installation: Dated) {
      const id = installationId(installation);
      // Refreshed tokens are stored with the fetched installation, which already has its date.
      await lock(lockOf(id), () => records.set(id, { installedAt: now().getTime(), ...installation }));
    },

    async fetchInstallation(query) {
      for (const id of idsOf(query)) {
        const installation = await records.get(id);
        if (installation) return installation;
      }
      throw new NotInstalledError('the bot is not installed in this workspace');
    },

    async find(id) {
      const found = await records.get(id);
      return found ? { installedAt: found.installedAt ? new Date(found.installedAt) : null } : null;
    },

    forgetOld: (id, leftAt) =>
      lock(lockOf(id), () => records.deleteOld(id, ({ installedAt = 0 }) => installedAt <= leftAt.getTime())),
  };
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
