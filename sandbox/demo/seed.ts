import type { NewUser } from '../slack/directory.ts';
import type { PracticeSlack } from '../slack/practice-slack.ts';

/** The bot's token for the only workspace. */
export const botToken = 'xoxb-practice-northwind';

/** The people of the practice workspace. Their ids are the same on every start. */
export const people = {
  dana: 'U0DANA00001',
  sam: 'U0SAM000001',
  lee: 'U0LEE000001',
  ada: 'U0ADA000001',
  gina: 'U0GINA00001',
  stan: 'U0STAN00001',
} as const;

/** The accounts of people at the practice service, by their ids in Slack. Ada has none. */
export const accounts: Readonly<Record<string, string>> = {
  [people.dana]: 'dana@example.com',
  [people.sam]: 'sam@example.com',
  [people.lee]: 'lee@example.com',
};

/** Its channels: one where everything starts, and some for single scenarios that should not disturb the others. */
export const places = {
  plans: 'C0PLANS0001',
  facade: 'C0FACADE001',
  digest: 'C0DIGEST001',
  level1: 'C0LEVEL1001',
  threads: 'C0THREADS01',
  shared: 'C0SHARED001',
  private: 'C0PRIVATE01',
  /** Direct messages with the bot. */
  ada: 'D0ADA000001',
  sam: 'D0SAM000001',
} as const;

/**
 * A small studio. Dana and Sam have the same addresses at the practice service, so linking needs no code; Lee has another one there and
 * must type a code. Ada is the admin, Gina a guest, and Stan is from another organization.
 */
export function seedStudio(slack: PracticeSlack): void {
  const { teamId } = slack.addWorkspace({
    teamId: 'T0NORTHWIND',
    name: 'Northwind Studio',
    domain: 'northwind',
    botToken,
    botUserId: 'U0PLANCAST1',
    botId: 'B0PLANCAST1',
  });
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const person = (id: string, realName: string, email: string, more: NewUser = {}) =>
    slack.addUser({
      id,
      teamId,
      name: realName.split(' ')[0] ?? realName,
      realName,
      email,
      tz: timeZone,
      ...more,
    });
  const dana = person(people.dana, 'Dana Reyes', 'dana@example.com');
  const sam = person(people.sam, 'Sam Okafor', 'sam@example.com');
  const lee = person(people.lee, 'Lee Park', 'lee.park@northwind.example');
  const ada = person(people.ada, 'Ada Lind', 'ada@northwind.example', { isAdmin: true });
  const gina = person(people.gina, 'Gina Sol', 'gina@visitor.example', { isRestricted: true });
  const stan = person(people.stan, 'Stan Ito', 'stan@builders.example', {
    teamId: 'T0BUILDERS1',
    isStranger: true,
  });
  const members = [dana, sam, lee, ada];
  slack.addChannel({ id: places.plans, name: 'plans', members: [...members, gina] });
  slack.addChannel({ id: places.facade, name: 'facade', members });
  slack.addChannel({ id: places.digest, name: 'morning-digest', members });
  slack.addChannel({ id: places.level1, name: 'level-1', members });
  slack.addChannel({ id: places.threads, name: 'threads', members });
  slack.addChannel({
    id: places.shared,
    name: 'with-builders',
    members: [...members, stan],
    isExtShared: true,
  });
  slack.addChannel({
    id: places.private,
    name: 'private-plans',
    kind: 'private',
    members,
    botIn: false,
  });
  slack.addChannel({ id: places.ada, kind: 'im', members: [ada] });
  slack.addChannel({ id: places.sam, kind: 'im', members: [sam] });
  for (const each of [...members, gina]) slack.directChannel(teamId, each);
}
