import type { AuthorizeResult, AuthorizeSourceData } from '@slack/bolt';
import type { Installation, InstallationQuery } from '@slack/oauth';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Workspace } from '../../core/model/people.ts';
import type { FreshInstallation } from './fresh-installations.ts';
import { type BotIdentity, type IdentityOf, NotInstalledError } from './web-clients.ts';

/** The bot's name if Slack does not return one: the name in the manifest. */
const usualName = 'plancast';

export type Authorize = (source: AuthorizeSourceData) => Promise<AuthorizeResult>;

type OneWorkspace = Workspace & BotIdentity & { readonly botId: string | undefined };

/**
 * Returns the bot's identity in its only workspace, if a bot token is configured instead of a client id and secret. Asks Slack once; a
 * failure is not cached.
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

/** A workspace, as a request or a caller names it. */
type NamedWorkspace = {
  readonly teamId?: string | undefined;
  readonly enterpriseId?: string | null | undefined;
};

/** Returns the identity in the only workspace; throws `NotInstalledError` for any other. */
export function identityInOne(oneWorkspace: () => Promise<OneWorkspace>) {
  return async ({ teamId, enterpriseId }: NamedWorkspace): Promise<OneWorkspace> => {
    const own = await oneWorkspace();
    if (teamId === own.teamId || enterpriseId === own.teamId) return own;
    throw new NotInstalledError('the bot token belongs to another workspace');
  };
}

/** Bolt's `authorize` for the only workspace. */
export function authorizeInOne(identityOf: ReturnType<typeof identityInOne>): Authorize {
  return async (source) => {
    const { botId, botUserId, teamId } = await identityOf(source);
    return {
      ...(botId === undefined ? {} : { botId }),
      ...(botUserId === null ? {} : { botUserId }),
      teamId,
    };
  };
}

/** Returns the identity of an installation, with a token that is valid now. */
export function identityByInstallation(installationOf: FreshInstallation): IdentityOf {
  return async ({ teamId, enterpriseId }) => {
    const { bot, team, enterprise } = await installationOf({
      teamId,
      enterpriseId: enterpriseId ?? undefined,
      isEnterpriseInstall: false,
    });
    if (!bot) throw new NotInstalledError('the installation has no bot token');
    return {
      botToken: bot.token,
      botUserId: bot.userId,
      botName: usualName,
      workspaceName: team?.name ?? enterprise?.name ?? null,
      scopes: bot.scopes,
    };
  };
}

/**
 * Bolt's `authorize` for installations. It returns no token: no handler uses Bolt's own client, Bolt would keep a client per token forever,
 * and Slack's three seconds are too short to wait for a refresh.
 */
export function authorizeByInstallation(
  installationOf: (query: InstallationQuery<boolean>) => Promise<Installation>,
): Authorize {
  return async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
    const installation = await installationOf({ teamId, enterpriseId, isEnterpriseInstall });
    const team = installation.team?.id ?? teamId;
    const enterprise = installation.enterprise?.id ?? enterpriseId;
    return {
      ...(installation.bot ? { botId: installation.bot.id, botUserId: installation.bot.userId } : {}),
      ...(team === undefined ? {} : { teamId: team }),
      ...(enterprise === undefined ? {} : { enterpriseId: enterprise }),
    };
  };
}
