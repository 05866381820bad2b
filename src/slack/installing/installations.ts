import type { Installation, InstallationQuery, InstallationStore } from '@slack/oauth';
import { NotInstalledError } from './web-clients.ts';

/** When it was installed, in milliseconds since the epoch; missing in those that an older release stored. */
export type Dated = Installation & { readonly installedAt?: number | undefined };

export type InstallationRecords = {
  readonly get: (key: string) => Promise<Dated | undefined>;
  readonly set: (key: string, value: Dated) => Promise<void>;
  readonly deleteOld: (key: string, isOld: (value: Dated) => boolean) => Promise<void>;
};

export type Installations = Pick<InstallationStore, 'storeInstallation' | 'fetchInstallation'> & {
  /** The installation with this id, and when it was made if that is known; null if there is none. */
  readonly find: (id: string) => Promise<{ readonly installedAt: Date | null } | null>;
  /** Forgets the installation with this id, unless it was made after `leftAt`. */
  readonly forgetOld: (id: string, leftAt: Date) => Promise<void>;
};

/** Runs work while no process runs work of the same name. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Where the bot is installed, by workspace or organization. A workspace without an installation of its own uses that of its
 * organization. An installation is written under its lock: a token that is being refreshed meanwhile is not written over it.
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
      // Renewed tokens are stored in what was fetched, which has its date already.
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

/** The key of an installation: the workspace, or the organization. */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined)
    throw new NotInstalledError('an installation names neither workspace nor organization');
  return id;
}

/** The lock under which an installation is written. */
export function lockOf(id: string): string {
  return `installation ${id}`;
}

function idsOf({ isEnterpriseInstall, teamId, enterpriseId }: InstallationQuery<boolean>): string[] {
  const ids = isEnterpriseInstall ? [enterpriseId] : [teamId, enterpriseId];
  return ids.filter((id) => id !== undefined);
}
