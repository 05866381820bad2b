import { type ProfileOf, personOf, type SlackPerson } from './people.ts';

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

/** Returns the names of several people of one workspace by user id. Each person is looked up once. */
export async function namesOf(
  profileOf: ProfileOf,
  people: readonly SlackPerson[],
): Promise<ReadonlyMap<string, string>> {
  const byId = new Map(people.map((person) => [person.userId, person]));
  const found = await Promise.all([...byId.values()].map((person) => whoOf(profileOf, person)));
  return new Map(found.map(({ userId, name }) => [userId, name]));
}
