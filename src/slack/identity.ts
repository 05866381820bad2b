import type { InstallProvider } from '@slack/oauth';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Workspace } from '../core/people.ts';
import { type BotIdentity, type IdentityOf, NotInstalledError } from './web-clients.ts';

/** The bot's name where Slack does not tell it: that of the manifest. */
const usualName = 'plancast';

export type OneWorkspace = Workspace & BotIdentity & { readonly botId: string | undefined };

/**
 * The bot in its one workspace, where a bot token was set instead of a client id and secret. Slack is asked once who that is; a
 * fault is not remembered.
 */
export function makeOneWorkspace(deps: {
  botToken: string;
  options: WebClientOptions;
}): () => Promise<OneWorkspace> {
  let known: Promise<OneWorkspace> | undefined;

  async function ask(): Promise<OneWorkspace> {
    const answer = await new WebClient(deps.botToken, deps.options).auth.test();
    if (!answer.team_id)
      throw new NotInstalledError('Slack did not say to which workspace the bot token belongs');
    return {
      botToken: deps.botToken,
      botUserId: answer.user_id ?? null,
      botId: answer.bot_id,
      botName: answer.user ?? usualName,
      workspaceName: answer.team ?? null,
      teamId: answer.team_id,
      enterpriseId: answer.enterprise_id ?? null,
      scopes: answer.response_metadata?.scopes ?? null,
    };
  }

  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** The identity in the one workspace; any other workspace is refused. */
export function identityInOne(oneWorkspace: () => Promise<OneWorkspace>): IdentityOf {
  return async (workspace) => {
    const own = await oneWorkspace();
    if (workspace.teamId !== own.teamId && workspace.enterpriseId !== own.teamId) {
      throw new NotInstalledError('the bot token belongs to another workspace');
    }
    return own;
  };
}

/** The identity where the bot was installed. Bolt's installer renews tokens where Slack rotates them. */
export function identityByInstallation(installer: InstallProvider): IdentityOf {
  return async ({ teamId, enterpriseId }) => {
    const query = { teamId, enterpriseId: enterpriseId ?? undefined, isEnterpriseInstall: false };
    const [authorized, installation] = await Promise.all([
      installer.authorize(query),
      installer.installationStore.fetchInstallation(query),
    ]);
    if (!authorized.botToken) throw new NotInstalledError('the installation has no bot token');
    return {
      botToken: authorized.botToken,
      botUserId: authorized.botUserId ?? null,
      botName: usualName,
      workspaceName: installation.team?.name ?? installation.enterprise?.name ?? null,
      scopes: installation.bot?.scopes ?? null,
    };
  };
}
