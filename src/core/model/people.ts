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

/**
 * Returns the organization's id if there is one, else the workspace's. Within it, Slack's user ids are unique, so it is the first half of a
 * link's key.
 */
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

/**
 * Looks up a profile, from a cache if it is there: for minutes, or only for seconds where it decides what a person may do. Throws if Slack
 * cannot be asked.
 */
export type ProfileOf = (person: SlackPerson) => Promise<Profile>;

/**
 * Returns a person with the name that Slack shows, or with their id if Slack gives none: a missing name must not cost the answer. Never
 * throws.
 */
export async function whoOf(
  profileOf: ProfileOf,
  person: SlackPerson,
): Promise<{ readonly userId: string; readonly name: string }> {
  const { userId } = person;
  const profile = await profileOf(personOf(person)).catch(() => null);
  return { userId, name: profile?.name ?? userId };
}

/** As Slack sends one in a typed command (Slack: `should_escape`): the label is missing for some people. */
const mention = /<@([UW][A-Z0-9]{1,30})(?:\|([^>]*))?>/g;

const groupMention = /<!subteam\^\w+(?:\|@?([^>]*))?>/g;

/** How many people of one line are looked up: Slack allows about 100 such questions a minute in a workspace. */
const mostNamed = 20;

/**
 * Returns a command for people to read: with an @ and a name for each mention, because Slack does not resolve mentions in code. `userId`:
 * the person who typed it, whose mention becomes `me`; null if somebody else reads it. Never throws.
 */
export async function withMentionsNamed(
  profileOf: ProfileOf,
  { userId: typist, ...workspace }: Workspace & { readonly userId: string | null },
  line: string,
): Promise<string> {
  const found = [...line.matchAll(mention)].flatMap(([, userId = '', label]) =>
    label || userId === typist ? [] : [{ ...workspace, userId }],
  );
  const names = await namesOf(profileOf, found.slice(0, mostNamed));
  const named = line.replace(groupMention, (_, label?: string) => `@${label || 'group'}`);
  return named.replace(mention, (_, userId: string, label?: string) => {
    if (userId === typist) return 'me';
    const name = label || names.get(userId);
    return `@${name === undefined || name === userId ? 'someone' : name}`;
  });
}

/** Returns the names of several people of one workspace by user id. Each person is looked up once. */
export async function namesOf(
  profileOf: ProfileOf,
  people: readonly SlackPerson[],
): Promise<ReadonlyMap<string, string>> {
  const byId = new Map(people.map((person) => [person.userId, person]));
  const found = await Promise.all([...byId.values()].map((person) => whoOf(profileOf, person)));
  return new Map(found.map(({ userId, name }) => [userId, name]));
}
