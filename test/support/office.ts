import { harbourTower, type Seed } from '../../sandbox/service/seed.ts';

/** Returns what the service has by default, with more people who may change Harbour Tower. */
export function officeWith(accounts: readonly string[]): Seed {
  const [tower, ...others] = harbourTower.projects;
  if (!tower) throw new Error('the default data have no project');
  const members = Object.fromEntries(accounts.map((email) => [email, 'write'] as const));
  const users = accounts.map((email) => ({ email, name: nameOf(email), primeId: tower.primeId }));
  return {
    ...harbourTower,
    users: [...harbourTower.users, ...users],
    projects: [{ ...tower, members: { ...tower.members, ...members } }, ...others],
  };
}

/** Returns the name of the person with an email address. */
export const nameOf = (email: string): string => email.split('@')[0] ?? '';
