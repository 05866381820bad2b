import type { Installation, InstallationQuery, InstallationStore } from '@slack/oauth';
import { NotInstalledError } from './web-clients.ts';

type Records = {
  readonly get: (key: string) => Promise<Installation | undefined>;
  readonly set: (key: string, value: Installation) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
};

/**
 * Where the bot is installed, by workspace or organisation. A workspace without an installation of its own uses that of its
 * organisation.
 */
export function makeInstallations({ records }: { readonly records: Records }): Required<InstallationStore> {
  return {
    async storeInstallation(installation) {
      await records.set(installationId(installation), installation);
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
      if (id !== undefined) await records.delete(id);
    },
  };
}

/** The key of an installation: the workspace, or the organisation. */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined)
    throw new NotInstalledError('an installation names neither workspace nor organisation');
  return id;
}

function idsOf({ isEnterpriseInstall, teamId, enterpriseId }: InstallationQuery<boolean>): string[] {
  const ids = isEnterpriseInstall ? [enterpriseId] : [teamId, enterpriseId];
  return ids.filter((id) => id !== undefined);
}
