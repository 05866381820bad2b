import type { Workspace } from '../directory.ts';
import { type Fields, flagOf, stringOf } from '../json.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { ApiError, type ApiMethod } from './api-method.ts';

const authTest: ApiMethod = {
  run({ state, workspace }) {
    return {
      url: `https://${workspace.domain}.slack.com/`,
      team: workspace.name,
      team_id: workspace.teamId,
      user: state.directory.user(workspace.botUserId).name,
      user_id: workspace.botUserId,
      bot_id: workspace.botId,
      app_id: state.app.appId,
      is_enterprise_install: workspace.isEnterpriseInstall,
      ...(workspace.enterpriseId !== undefined && { enterprise_id: workspace.enterpriseId }),
    };
  },
};

/** Lists the workspaces that an installation may act in, in one page. */
const authTeamsList: ApiMethod = {
  tier: 2,
  run({ workspaces }) {
    const teams = workspaces.filter(({ accessGranted }) => accessGranted);
    return {
      teams: teams.map(({ teamId, name }) => ({ id: teamId, name })),
      response_metadata: { next_cursor: '' },
    };
  },
};

const teamInfo: ApiMethod = {
  scope: 'team:read',
  tier: 3,
  run({ workspace: { teamId, name, domain, enterpriseId, enterpriseName } }) {
    const enterprise =
      enterpriseId === undefined ? {} : { enterprise_id: enterpriseId, enterprise_name: enterpriseName };
    return { team: { id: teamId, name, domain, email_domain: '', ...enterprise } };
  },
};

/** Invalidates the token in every workspace that shares it. */
function refuseToken(state: State, workspaces: Workspace[], refusal: string): void {
  for (const workspace of workspaces) workspace.tokenRefusal = refusal;
  for (const notify of state.onRevoked) notify(workspaces);
}

const authRevoke: ApiMethod = {
  tier: 3,
  run({ state, args, workspaces }) {
    if (flagOf(args.test)) return { revoked: false };
    refuseToken(state, workspaces, 'token_revoked');
    return { revoked: true };
  },
};

/** @throws ApiError unless these are the app's own id and secret */
function requireClient({ app }: State, args: Fields): void {
  if (args.client_id !== app.clientId) throw new ApiError('invalid_client_id');
  if (args.client_secret !== app.clientSecret) throw new ApiError('bad_client_secret');
}

const appsUninstall: ApiMethod = {
  tier: 1,
  run({ state, args, workspaces }) {
    requireClient(state, args);
    refuseToken(state, workspaces, 'account_inactive');
    return {};
  },
};

/**
 * `oauth.v2.access`: called without a token, with the app's id and secret and the code of an install.
 * @throws ApiError with Slack's error code
 */
export function exchangeCode(state: State, args: Fields): Fields {
  requireClient(state, args);
  const approval = state.installs.take(stringOf(args.code) ?? '');
  if (typeof approval === 'string') throw new ApiError(approval);
  if (approval.redirectUri !== undefined && approval.redirectUri !== args.redirect_uri) {
    throw new ApiError('bad_redirect_uri');
  }
  const workspace = state.directory.workspace(approval.teamId);
  state.installs.install(state.directory.installedWith(workspace), approval.scopes, state.app.tokenRotation);
  state.changes.notify();
  return { ...tokenAnswer(state, workspace), authed_user: { id: approval.userId } };
}

/**
 * `oauth.v2.access` with `grant_type=refresh_token`: also called without a token; exchanges a refresh token for a new pair.
 * @throws ApiError with Slack's error code
 */
export function refreshToken(state: State, args: Fields): Fields {
  requireClient(state, args);
  const refreshed = state.installs.refresh(
    stringOf(args.refresh_token) ?? '',
    state.directory.workspaces.values(),
  );
  if (refreshed === 'used') {
    state.violations.add({
      kind: 'refresh-token',
      method: 'oauth.v2.access',
      sentence: 'A refresh token was used a second time.',
      teamId: undefined,
    });
  }
  const [workspace] = typeof refreshed === 'string' ? [] : refreshed;
  if (workspace === undefined) throw new ApiError('invalid_refresh_token');
  state.changes.notify();
  return tokenAnswer(state, workspace);
}

function tokenAnswer(state: State, workspace: Workspace): Fields {
  const { enterpriseId, enterpriseName, isEnterpriseInstall, rotation } = workspace;
  return {
    app_id: state.app.appId,
    scope: workspace.botScopes.join(','),
    token_type: 'bot',
    access_token: workspace.botToken,
    bot_user_id: workspace.botUserId,
    team: isEnterpriseInstall ? null : { id: workspace.teamId, name: workspace.name },
    enterprise: enterpriseId === undefined ? null : { id: enterpriseId, name: enterpriseName },
    is_enterprise_install: isEnterpriseInstall,
    ...(rotation !== undefined && {
      refresh_token: rotation.refreshToken,
      expires_in: limits.rotatedTokenLifeSeconds,
    }),
  };
}

export const appMethods: Record<string, ApiMethod> = {
  'auth.test': authTest,
  'auth.revoke': authRevoke,
  'auth.teams.list': authTeamsList,
  'apps.uninstall': appsUninstall,
  'team.info': teamInfo,
};
