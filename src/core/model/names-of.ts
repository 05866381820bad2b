import { type ProfileOf, personOf, type SlackPerson } from './people.ts';

/** A person with the name that Slack shows, else with their id: an answer is worth having with a name missing. Never throws. */
export async function whoOf(
  profileOf: ProfileOf,
  person: SlackPerson,
): Promise<{ readonly userId: string; readonly name: string }> {
  const { userId } = person;
  const profile = await profileOf(personOf(person)).catch(() => null);
  return { userId, name: profile?.name ?? userId };
}

/** The names of several people of one workspace, by their ids. Each is asked for once. */
export async function namesOf(
  profileOf: ProfileOf,
  people: readonly SlackPerson[],
): Promise<ReadonlyMap<string, string>> {
  const byId = new Map(people.map((person) => [person.userId, person]));
  const found = await Promise.all([...byId.values()].map((person) => whoOf(profileOf, person)));
  return new Map(found.map(({ userId, name }) => [userId, name]));
}
