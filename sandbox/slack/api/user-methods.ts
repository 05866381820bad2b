import type { User, Workspace } from '../directory.ts';
import { flagOf, stringOf } from '../json.ts';
import type { State } from '../state.ts';
import { ApiError, type ApiMethod, pageOf, requireScope } from './api-method.ts';
import { userConversations } from './conversation-methods.ts';
import { userJson } from './wire-format.ts';

/** Returns whether the workspace can see the person: a member, or someone it shares a channel with. */
function knows({ directory }: State, workspace: Workspace, user: User): boolean {
  const sameEnterprise =
    workspace.enterpriseId !== undefined &&
    directory.workspaces.get(user.teamId)?.enterpriseId === workspace.enterpriseId;
  if (user.teamId === workspace.teamId || sameEnterprise) return true;
  return [...directory.channels.values()].some(
    ({ teamIds, members }) => teamIds.includes(workspace.teamId) && members.has(user.id),
  );
}

const info: ApiMethod = {
  scope: 'users:read',
  tier: 4,
  run({ state, args, workspace }) {
    const user = state.directory.users.get(String(args.user));
    if (user === undefined) throw new ApiError('user_not_found');
    if (!knows(state, workspace, user)) throw new ApiError('user_not_visible');
    const locale = flagOf(args.include_locale) ? { locale: user.locale } : {};
    return { user: { ...userJson(user, workspace), ...locale } };
  },
};

const lookupByEmail: ApiMethod = {
  scope: 'users:read.email',
  tier: 3,
  run({ state, args, workspace }) {
    requireScope(workspace, 'users:read');
    const wanted = stringOf(args.email)?.toLowerCase();
    const user = [...state.directory.users.values()].find(
      ({ email, teamId, deleted }) =>
        wanted !== undefined && email?.toLowerCase() === wanted && teamId === workspace.teamId && !deleted,
    );
    if (user === undefined) throw new ApiError('users_not_found');
    return { user: userJson(user, workspace) };
  },
};

/** Lists the people of one workspace, including guests and deactivated members, but not strangers. */
const list: ApiMethod = {
  scope: 'users:read',
  tier: 2,
  run({ state, args, workspace }) {
    const own = [...state.directory.users.values()].filter(({ teamId }) => teamId === workspace.teamId);
    const { entries, response_metadata } = pageOf(own, args, { usual: 200, max: 1000 });
    return { members: entries.map((user) => userJson(user, workspace)), response_metadata };
  },
};

export const userMethods: Record<string, ApiMethod> = {
  'users.info': info,
  'users.list': list,
  'users.lookupByEmail': lookupByEmail,
  'users.conversations': userConversations,
};
