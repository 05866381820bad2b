import { createHash } from 'node:crypto';
import type { Ids } from './ids.ts';

/** Scopes the bot requires, and optional ones that an admin can decline during installation. */
export const requiredBotScopes = ['commands', 'chat:write', 'channels:read', 'groups:read', 'users:read'];
export const optionalBotScopes = [
  'chat:write.public',
  'users:read.email',
  'app_mentions:read',
  'links:read',
  'links:write',
];

/** The tokens of an installation with token rotation. Workspaces of one organization share them. */
export interface Rotation {
  /** Single-use. */
  refreshToken: string;
  /** Newest first; `expiresAt` is in epoch milliseconds. */
  tokens: { token: string; expiresAt: number }[];
}

export interface Workspace {
  teamId: string;
  name: string;
  domain: string;
  enterpriseId: string | undefined;
  enterpriseName: string | undefined;
  /** Installed for the whole organization: the workspaces of the enterprise then share one token. */
  isEnterpriseInstall: boolean;
  /** The newest token if tokens rotate. */
  botToken: string;
  /** Undefined if the token never expires. */
  rotation: Rotation | undefined;
  botUserId: string;
  botId: string;
  /** The granted scopes. */
  botScopes: string[];
  /** Whether an organization's installation can act in this workspace: its admins add workspaces one by one. */
  accessGranted: boolean;
  /** The error that every call with this token gets (`token_revoked`, `account_inactive`, …); undefined while the token is valid. */
  tokenRefusal: string | undefined;
  /** Block types that this workspace answers with `invalid_blocks` although Slack documents them: new ones reach some workspaces first. */
  refusedBlocks: string[];
}

export interface User {
  id: string;
  /** The person's workspace; a stranger's is not in this Slack. */
  teamId: string;
  name: string;
  realName: string;
  email: string | undefined;
  tz: string;
  locale: string;
  isRestricted: boolean;
  isUltraRestricted: boolean;
  isBot: boolean;
  isStranger: boolean;
  isAdmin: boolean;
  deleted: boolean;
}

export type ChannelKind = 'public' | 'private' | 'im' | 'mpim';

export interface Channel {
  id: string;
  name: string;
  kind: ChannelKind;
  /** Workspaces that see the channel, the host first. */
  teamIds: [string, ...string[]];
  /** User ids, including the bot's own user id if it is a member. */
  members: Set<string>;
  isArchived: boolean;
  isExtShared: boolean;
  isOrgShared: boolean;
  /** Ids of the teams it was shared with, including teams that are not in this Slack. */
  sharedWith: Set<string>;
  isReadOnly: boolean;
  isThreadOnly: boolean;
  isNonThreadable: boolean;
  previousNames: string[];
}

export type NewWorkspace = Partial<Workspace>;
export type NewUser = Partial<User>;
export type NewChannel = Partial<Omit<Channel, 'members' | 'teamIds' | 'sharedWith'>> & {
  /** Team ids, the host first. Default: the first workspace. */
  teamIds?: [string, ...string[]] | undefined;
  members?: Iterable<string | { id: string }> | undefined;
  /** Whether the bot is a member. Default: true. */
  botIn?: boolean | undefined;
};

/** A user or channel: its id or the object. */
export type Ref = string | { id: string };

/** Returns the id of `ref`. */
export function idOf(ref: Ref): string {
  return typeof ref === 'string' ? ref : ref.id;
}

/** Returns `fields` without undefined values, which would override defaults. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Creates the directory of workspaces, people and channels. Callers can read and change the maps directly. */
export function makeDirectory({ ids }: { ids: Ids }) {
  const workspaces = new Map<string, Workspace>();
  const users = new Map<string, User>();
  const channels = new Map<string, Channel>();

  function firstWorkspace(): Workspace {
    const [first] = workspaces.values();
    if (first === undefined)
      throw new Error('The practice Slack has no workspace yet: call addWorkspace first.');
    return first;
  }

  function workspace(teamId: string): Workspace {
    const found = workspaces.get(teamId);
    if (found === undefined) throw new Error(`The practice Slack has no workspace ${teamId}.`);
    return found;
  }

  function addUser(fields: NewUser = {}): User {
    const teamId = fields.teamId ?? (fields.isStranger ? 'T0ELSEWHERE' : firstWorkspace().teamId);
    const id = fields.id ?? ids.lasting('U');
    const name = fields.name ?? fields.realName?.split(' ')[0]?.toLowerCase() ?? id.toLowerCase();
    const user: User = {
      id,
      teamId,
      name,
      realName: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      email: fields.isBot ? undefined : `${name}@${workspaces.get(teamId)?.domain ?? 'elsewhere'}.example`,
      tz: 'Europe/London',
      locale: 'en-GB',
      isRestricted: fields.isUltraRestricted ?? false,
      isUltraRestricted: false,
      isBot: false,
      isStranger: false,
      isAdmin: false,
      deleted: false,
      ...given(fields),
    };
    users.set(id, user);
    return user;
  }

  function addWorkspace(fields: NewWorkspace = {}): Workspace {
    const teamId = fields.teamId ?? ids.lasting('T');
    const name = fields.name ?? `Workspace ${teamId}`;
    const added: Workspace = {
      teamId,
      name,
      domain: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      enterpriseId: undefined,
      enterpriseName: fields.enterpriseId === undefined ? undefined : `Enterprise ${fields.enterpriseId}`,
      isEnterpriseInstall: false,
      botToken: `xoxb-practice-${teamId}`,
      rotation: undefined,
      botUserId: ids.lasting('U'),
      botId: ids.lasting('B'),
      botScopes: [...requiredBotScopes, ...optionalBotScopes],
      accessGranted: true,
      tokenRefusal: undefined,
      refusedBlocks: [],
      ...given(fields),
    };
    workspaces.set(teamId, added);
    addUser({ id: added.botUserId, teamId, name: 'plancast', isBot: true });
    return added;
  }

  function addChannel({ members = [], botIn = true, teamIds, ...fields }: NewChannel = {}): Channel {
    const teams: [string, ...string[]] = teamIds ?? [firstWorkspace().teamId];
    const kind = fields.kind ?? 'public';
    const id = fields.id ?? ids.lasting(kind === 'im' ? 'D' : 'C');
    const channel: Channel = {
      id,
      name: fields.name ?? id.toLowerCase(),
      kind,
      teamIds: teams,
      members: new Set([...members].map(idOf)),
      isArchived: false,
      isExtShared: false,
      isOrgShared: false,
      sharedWith: new Set(),
      isReadOnly: false,
      isThreadOnly: false,
      isNonThreadable: false,
      previousNames: [],
      ...given(fields),
    };
    if (botIn) channel.members.add(workspace(teams[0]).botUserId);
    channels.set(id, channel);
    return channel;
  }

  /** Returns the direct messages between a person and a workspace's bot; created on first use, always with the same id. */
  function directChannel(teamId: string, userId: string): Channel {
    const { botUserId } = workspace(teamId);
    for (const channel of channels.values()) {
      const between = channel.members.has(userId) && channel.members.has(botUserId);
      if (channel.kind === 'im' && channel.teamIds.includes(teamId) && between) return channel;
    }
    const digest = createHash('sha256').update(`${teamId} ${userId}`).digest('hex');
    const id = `D${digest.slice(0, 10).toUpperCase()}`;
    return addChannel({ kind: 'im', id, teamIds: [teamId], members: [userId] });
  }

  function user(ref: Ref): User {
    const found = users.get(idOf(ref));
    if (found === undefined) throw new Error(`The practice Slack has no user ${idOf(ref)}.`);
    return found;
  }

  function channel(ref: Ref): Channel {
    const found = channels.get(idOf(ref));
    if (found === undefined) throw new Error(`The practice Slack has no channel ${idOf(ref)}.`);
    return found;
  }

  return {
    workspaces,
    users,
    channels,
    addWorkspace,
    addUser,
    addChannel,
    directChannel,
    firstWorkspace,
    /** @throws Error if it does not exist: mistakes on the side that acts as people should be loud */
    workspace,
    user,
    channel,
    /** Returns whether the workspace's bot is in the channel. */
    botIsIn: (inside: Channel, of: Workspace): boolean => inside.members.has(of.botUserId),
    /** Returns the workspace from which a person acts in a channel: their own if it shares the channel, else the host. */
    workspaceFor(inside: Channel, person: User): Workspace {
      const own = inside.teamIds.includes(person.teamId) ? workspaces.get(person.teamId) : undefined;
      return own ?? workspace(inside.teamIds[0]);
    },
    /** Returns the workspaces covered by one installation: all of an organization's, or just the one. */
    installedWith: (installed: Workspace): Workspace[] =>
      installed.isEnterpriseInstall
        ? [...workspaces.values()].filter(
            ({ enterpriseId, isEnterpriseInstall }) =>
              isEnterpriseInstall && enterpriseId === installed.enterpriseId,
          )
        : [installed],
    /** Returns the workspaces a token is valid for: one, or all of an organization. */
    workspacesOfToken: (token: string): Workspace[] =>
      [...workspaces.values()].filter(
        ({ botToken, rotation }) =>
          botToken === token || rotation?.tokens.some((live) => live.token === token),
      ),
  };
}

export type Directory = ReturnType<typeof makeDirectory>;
