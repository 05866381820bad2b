import type { Installation, InstallationQuery, InstallationStore } from '@slack/oauth';
import { NotInstalledError } from './web-clients.ts';

export type InstallationRecords = {
  readonly get: (key: string) => Promise<Installation | undefined>;
  readonly set: (key: string, value: Installation) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
};

/** Does work while nobody else, in any process, does work under the same name. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Where the bot is installed, by workspace or organization. A workspace without an installation of its own uses that of its
 * organization. An installation is written under its lock: a token that is being refreshed meanwhile is not written over it.
 */
export function makeInstallations({
  records,
  lock,
}: {
  readonly records: InstallationRecords;
  readonly lock: Lock;
}): Required<InstallationStore> {
  return {
    async storeInstallation(installation) {
      const id = installationId(installation);
      await lock(lockOf(id), () => records.set(id, installation));
    },

    async fetchInstallation(query) {
      for (const id of idsOf(query)) {
        const installation = await records.get(id);
        if (installation) return installation;
      }
      throw new NotInstalledError('the bot is not installed in this workspace');
    },

    async deleteInstallation(query) {
      const [id] = idsOf(query);
      if (id !== undefined) await lock(lockOf(id), () => records.delete(id));
    },
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
