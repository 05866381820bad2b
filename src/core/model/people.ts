/** A Slack workspace. `enterpriseId` is set if the workspace belongs to an organization. */
export type Workspace = {
  readonly enterpriseId: string | null;
  readonly teamId: string;
};

/** A person in Slack. User ids are unique only within a workspace or organization, so the workspace is always included. */
export type SlackPerson = Workspace & { readonly userId: string };

/** Picks the fields that identify a person from a larger object. */
export function personOf({ enterpriseId, teamId, userId }: SlackPerson): SlackPerson {
  return { enterpriseId, teamId, userId };
}

/** The person whose account a subscription uses. */
export function ownerOf(row: Workspace & { readonly ownerUserId: string }): SlackPerson {
  return personOf({ ...row, userId: row.ownerUserId });
}

/** A conversation in Slack. */
export type Channel = Workspace & { readonly channelId: string };

/** Returns the key of a channel in maps. */
export function channelKey({ teamId, channelId }: Pick<Channel, 'teamId' | 'channelId'>): string {
  return `${teamId}/${channelId}`;
}

/** Slack: ids of direct messages begin with D. */
export function isDirect(channelId: string): boolean {
  return channelId.startsWith('D');
}

/** Returns the organization's id if there is one, else the workspace's: the first half of a link's key, as user ids are unique within it. */
export function gridId(workspace: Workspace): string {
  return workspace.enterpriseId ?? workspace.teamId;
}

/** The parts of a person's Slack profile that the bot needs. */
export type Profile = {
  /** The name that people see in Slack. */
  readonly name: string;
  /** Lower case; null if the scope `users:read.email` was not granted or the person has no address. */
  readonly email: string | null;
  /** IANA name of the zone in the profile; `Etc/UTC` if there is none or this Node does not know it. */
  readonly zone: string;
  /** `member` is a full member of the workspace; nobody else can use the bot. */
  readonly standing: 'member' | 'guest' | 'stranger' | 'bot' | 'deactivated';
};

/** Whether somebody with this standing belongs to the workspace. */
export function isOfWorkspace(standing: Profile['standing']): boolean {
  return standing === 'member' || standing === 'guest';
}
