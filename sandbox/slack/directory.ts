import { createHash } from 'node:crypto';
import type { Ids } from './ids.ts';

/** Scopes the bot cannot do without, and those an admin may untick when installing. */
export const requiredBotScopes = ['commands', 'chat:write', 'channels:read', 'groups:read', 'users:read'];
export const optionalBotScopes = ['chat:write.public', 'users:read.email'];

/** The tokens of an installation whose app rotates them. Workspaces of one organization share it. */
export interface Rotation {
  /** Good once. */
  refreshToken: string;
  /** The newest first; `expiresAt` in milliseconds. */
  tokens: { token: string; expiresAt: number }[];
}

export interface Workspace {
  teamId: string;
  name: string;
  domain: string;
  enterpriseId: string | undefined;
  enterpriseName: string | undefined;
  /** Installed for the whole organization: workspaces of one enterprise then share one token. */
  isEnterpriseInstall: boolean;
  /** The newest one, where tokens rotate. */
  botToken: string;
  /** Undefined while the token never expires. */
  rotation: Rotation | undefined;
  botUserId: string;
  botId: string;
  /** What was granted. */
  botScopes: string[];
  /** Whether an organization's installation may act here: its admins add workspaces one by one. */
  accessGranted: boolean;
  /** The error every call with this token gets (`token_revoked`, `account_inactive`, …); undefined while it is good. */
  tokenRefusal: string | undefined;
  /** Types of blocks that this workspace answers `invalid_blocks` to, although Slack documents them: newer ones reach some workspaces first. */
  refusedBlocks: string[];
}

export interface User {
  id: string;
  /** The workspace the person belongs to: for a stranger, one that is not here. */
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
  /** Workspaces that see it, the hosting one first. */
  teamIds: [string, ...string[]];
  /** User ids; the bot's own user id is among them where the bot is in. */
  members: Set<string>;
  isArchived: boolean;
  isExtShared: boolean;
  isOrgShared: boolean;
  /** Team ids it was shared with, also such as are not here. */
  sharedWith: Set<string>;
  isReadOnly: boolean;
  isThreadOnly: boolean;
  isNonThreadable: boolean;
  previousNames: string[];
}

export type NewWorkspace = Partial<Workspace>;
export type NewUser = Partial<User>;
export type NewChannel = Partial<Omit<Channel, 'members' | 'teamIds' | 'sharedWith'>> & {
  /** Team ids, the hosting one first. Without: the first workspace. */
  teamIds?: [string, ...string[]] | undefined;
  members?: Iterable<string | { id: string }> | undefined;
  /** Whether the bot is in it. Default: yes. */
  botIn?: boolean | undefined;
};

/** Something that names a user or channel: the id, or the thing itself. */
export type Ref = string | { id: string };

/** The id of what `ref` names. */
export function idOf(ref: Ref): string {
  return typeof ref === 'string' ? ref : ref.id;
}

/** `fields` without those that are undefined, so that they do not shadow defaults. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Who and what there is: workspaces, people and channels. The maps may be read and changed by anybody. */
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

  /** The direct messages between a person and the bot of a workspace; made when first asked for, always with the same id. */
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
    /** @throws Error where there is none: for the side that plays people, whose mistakes should be loud */
    workspace,
    user,
    channel,
    /** Whether the bot of the workspace is in the channel. */
    botIsIn: (inside: Channel, of: Workspace): boolean => inside.members.has(of.botUserId),
    /** The workspace in which a person acts in a channel: his own where it shares the channel, else the host. */
    workspaceFor(inside: Channel, person: User): Workspace {
      const own = inside.teamIds.includes(person.teamId) ? workspaces.get(person.teamId) : undefined;
      return own ?? workspace(inside.teamIds[0]);
    },
    /** The workspaces that one installation covers: those of an organization's, else the one. */
    installedWith: (installed: Workspace): Workspace[] =>
      installed.isEnterpriseInstall
        ? [...workspaces.values()].filter(
            ({ enterpriseId, isEnterpriseInstall }) =>
              isEnterpriseInstall && enterpriseId === installed.enterpriseId,
          )
        : [installed],
    /** Every workspace a token is good for: one, or all of an organization. */
    workspacesOfToken: (token: string): Workspace[] =>
      [...workspaces.values()].filter(
        ({ botToken, rotation }) =>
          botToken === token || rotation?.tokens.some((live) => live.token === token),
      ),
  };
}

export type Directory = ReturnType<typeof makeDirectory>;
