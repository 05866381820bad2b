import { WebAPIPlatformError } from '@slack/web-api';
import type { Workspace } from '../../core/model/people.ts';
import type { InstallationState } from '../../core/upstream/upstream-deps.ts';
import { pagesOf } from '../facts/pages.ts';
import type { Installations } from './installations.ts';
import { NotInstalledError, type WebClients } from './web-clients.ts';

type StandingDeps = {
  readonly clients: WebClients;
  readonly installation: Installations['find'];
};

/** Slack's errors for a token that is no longer valid. Errors that only lock the bot out temporarily are not included. */
const ended: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
]);
const teamsAPage = 200;
const pagesRead = 50;

/** Whether Slack refused a call because its token is no longer valid. */
export function isTokenOver(error: unknown): boolean {
  return error instanceof WebAPIPlatformError && ended.has(error.data.error);
}

/** Asks Slack whether installations still exist. `id` is a workspace or an organization. A failed call gives `unknown`. */
export function makeStanding({ clients, installation }: StandingDeps) {
  const clientOf = async (id: string) => (await clients({ teamId: id, enterpriseId: null })).client;

  async function listsTeam(enterpriseId: string, teamId: string): Promise<boolean> {
    const client = await clientOf(enterpriseId);
    const ask = (cursor: object) => client.auth.teams.list({ limit: teamsAPage, ...cursor });
    for await (const { teams, response_metadata: more } of pagesOf(pagesRead, ask)) {
      if (teams?.some(({ id }) => id === teamId)) return true;
      if (!more?.next_cursor) return false;
    }
    throw new Error('the list of workspaces has too many pages');
  }

  return {
    /** Whether an installation is stored, valid or not. Does not ask Slack. */
    isInstalled: async (id: string): Promise<boolean> => (await installation(id)) !== null,

    /** Whether an installation survived an uninstall event of `leftAt`: it is newer, or its token still works. */
    standing: async (id: string, leftAt: Date): Promise<InstallationState> => {
      const found = await installation(id);
      if (found === null) return 'none';
      if (found.installedAt !== null && found.installedAt > leftAt) return 'stands';
      return verdict(async () => (await (await clientOf(id)).auth.test()).ok);
    },

    /** Whether the bot's token works in a workspace; any failure counts as no. */
    isServed: async (workspace: Workspace): Promise<boolean> => {
      try {
        return (await (await clients(workspace)).client.auth.test()).ok;
      } catch {
        return false;
      }
    },

    /** Whether an organization's installation has access to a workspace. */
    access: (enterpriseId: string, teamId: string): Promise<InstallationState> =>
      verdict(() => listsTeam(enterpriseId, teamId)),
  };
}

async function verdict(ask: () => Promise<boolean>): Promise<InstallationState> {
  try {
    return (await ask()) ? 'stands' : 'gone';
  } catch (error) {
    if (error instanceof NotInstalledError) return 'none';
    return isTokenOver(error) ? 'gone' : 'unknown';
  }
}
