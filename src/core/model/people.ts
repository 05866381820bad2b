/** A workspace as Slack names it. `enterpriseId` is set where the workspace belongs to an organization. */
export type Workspace = {
  readonly enterpriseId: string | null;
  readonly teamId: string;
};

/** A person in Slack. User ids are unique within a workspace or organization only, so the workspace always goes along. */
export type SlackPerson = Workspace & { readonly userId: string };

/** Who it is, of something that says more of them. */
export function personOf({ enterpriseId, teamId, userId }: SlackPerson): SlackPerson {
  return { enterpriseId, teamId, userId };
}

/** The person whose account a subscription uses. */
export function ownerOf(row: Workspace & { readonly ownerUserId: string }): SlackPerson {
  return personOf({ ...row, userId: row.ownerUserId });
}

/** A conversation in Slack. */
export type Channel = Workspace & { readonly channelId: string };

/** Slack: a direct message, by the form of its id. */
export function isDirect(channelId: string): boolean {
  return channelId.startsWith('D');
}

/**
 * The organization where there is one, else the workspace: the scope in which Slack's user ids are unique, and so the first half
 * of a link's key (Slack: user ids are global within an organization).
 */
export function gridId(workspace: Workspace): string {
  return workspace.enterpriseId ?? workspace.teamId;
}

/** What Slack's profile says of a person, as far as the bot needs it. */
export type Profile = {
  /** The name that people see in Slack. */
  readonly name: string;
  /** Lower case; null where the scope `users:read.email` was not granted or there is none. */
  readonly email: string | null;
  /** IANA name of the zone in the profile, `Etc/UTC` where there is none that is known here. */
  readonly zone: string;
  /** `member` is a full member of the workspace; nobody else may do anything. */
  readonly standing: 'member' | 'guest' | 'stranger' | 'bot' | 'deactivated';
};

/** Looks a profile up, from a short-lived record where there is one. Throws where Slack cannot be asked. */
export type ProfileOf = (person: SlackPerson) => Promise<Profile>;
