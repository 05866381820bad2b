import { type ProfileOf, personOf, type SlackPerson, type Workspace } from './people.ts';

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
  const names = await namesOf(profileOf, found);
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
