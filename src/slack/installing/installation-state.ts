import { WebAPIPlatformError } from '@slack/web-api';
import type { Workspace } from '../../core/model/people.ts';
import type { InstallationState } from '../../core/slack.ts';
import { pagesOf } from '../facts/pages.ts';
import type { SlackApi } from '../slack-port.ts';
import { NotInstalledError } from './web-clients.ts';

// Whether installations still exist. An id is that of a workspace or an organization. A failed call gives `unknown`.

/** Slack's errors for a token that is no longer valid. Errors that only lock the bot out temporarily are not included. */
const ended: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
]);
/** Those that only an uninstall or the end of the workspace explains; `invalid_auth` also meets addresses that are not allowed. */
const gone: ReadonlySet<string> = new Set(['account_inactive', 'token_revoked']);
const teamsAPage = 200;
const pagesRead = 50;

/** Whether Slack refused a call because its token is no longer valid. */
export function isTokenOver(error: unknown): boolean {
  return error instanceof WebAPIPlatformError && ended.has(error.data.error);
}

/** Whether an installation is stored, valid or not. Does not ask Slack. */
export async function isInstalled({ isOwnToken, installed }: SlackApi, id: string): Promise<boolean> {
  return isOwnToken || (await installed.get(id)) !== undefined;
}

/** Whether an installation survived an uninstall event of `leftAt`: it is newer, or its token still works. */
export async function installationState(api: SlackApi, id: string, leftAt: Date): Promise<InstallationState> {
  // A bot token of one workspace has no stored installation, so its age is unknown.
  if (!api.isOwnToken) {
    const found = await api.installed.get(id);
    if (!found) return 'none';
    if (found.installedAt && new Date(found.installedAt) > leftAt) return 'installed';
  }
  return verdict(() => works(api, { teamId: id, enterpriseId: null }));
}

/** Whether the bot's token works in a workspace; any failure counts as no. */
export function isServed(api: SlackApi, workspace: Workspace): Promise<boolean> {
  return works(api, workspace).catch(() => false);
}

async function works({ clientOf }: SlackApi, workspace: Workspace): Promise<boolean> {
  return (await (await clientOf(workspace)).client.auth.test()).ok;
}

/** Whether Slack says that the token for a workspace is gone for good; false if it says anything else or nothing. */
export async function isRevoked(api: SlackApi, workspace: Workspace): Promise<boolean> {
  // An admin who replaces the bot token revokes the old one, and may take a while to set the new one.
  if (api.isOwnToken) return false;
  try {
    await works(api, workspace);
    return false;
  } catch (error) {
    // A token that has expired meanwhile is not even refreshed.
    const refusal = error instanceof NotInstalledError ? error.cause : error;
    return refusal instanceof WebAPIPlatformError && gone.has(refusal.data.error);
  }
}

/** Whether an organization's installation has access to a workspace. */
export function access(api: SlackApi, enterpriseId: string, teamId: string): Promise<InstallationState> {
  return verdict(() => listsTeam(api, enterpriseId, teamId));
}

async function listsTeam({ clientOf }: SlackApi, enterpriseId: string, teamId: string): Promise<boolean> {
  const { client } = await clientOf({ teamId: enterpriseId, enterpriseId: null });
  const ask = (cursor: object) => client.auth.teams.list({ limit: teamsAPage, ...cursor });
  for await (const { teams, response_metadata: more } of pagesOf(pagesRead, ask)) {
    if (teams?.some(({ id }) => id === teamId)) return true;
    if (!more?.next_cursor) return false;
  }
  throw new Error('the list of workspaces has too many pages');
}

async function verdict(ask: () => Promise<boolean>): Promise<InstallationState> {
  try {
    return (await ask()) ? 'installed' : 'gone';
  } catch (error) {
    if (error instanceof NotInstalledError) return 'none';
    return isTokenOver(error) ? 'gone' : 'unknown';
  }
}
