import type { PracticeSlack } from './practice-slack.ts';

/**
 * Adds a small studio: the workspace "Northwind Studio" with the bot installed, five people, and one channel of each kind. The ids are the
 * same on every start.
 */
export function seedNorthwind(slack: Pick<PracticeSlack, 'addWorkspace' | 'addUser' | 'addChannel'>) {
  const workspace = slack.addWorkspace({
    teamId: 'T0NORTHWIND',
    name: 'Northwind Studio',
    domain: 'northwind',
    botToken: 'xoxb-practice-northwind',
    botUserId: 'U0PLANCAST1',
    botId: 'B0PLANCAST1',
  });
  const { teamId } = workspace;
  const dana = slack.addUser({ id: 'U0DANA00001', teamId, realName: 'Dana Reyes', isAdmin: true });
  const sam = slack.addUser({ id: 'U0SAM000001', teamId, realName: 'Sam Okafor', tz: 'America/New_York' });
  const ravi = slack.addUser({ id: 'U0RAVI00001', teamId, realName: 'Ravi Menon', tz: 'Asia/Kolkata' });
  /** A guest: can read and write, cannot manage anything. */
  const guest = slack.addUser({ id: 'U0GUEST0001', teamId, realName: 'Gina Guest', isRestricted: true });
  /** A person from another organization, present through a shared channel. */
  const stranger = slack.addUser({ id: 'U0STRANGER1', realName: 'Stan Stranger', isStranger: true });
  const everybody = [dana, sam, ravi];
  return {
    workspace,
    dana,
    sam,
    ravi,
    guest,
    stranger,
    plans: slack.addChannel({ id: 'C0PLANS0001', name: 'plans', members: [...everybody, guest] }),
    /** Private; the bot is not a member. */
    privatePlans: slack.addChannel({
      id: 'C0PRIVATE01',
      name: 'private-plans',
      kind: 'private',
      members: [dana, sam],
      botIn: false,
    }),
    /** Public; the bot is not a member. */
    lobby: slack.addChannel({ id: 'C0LOBBY0001', name: 'lobby', members: everybody, botIn: false }),
    /** Shared with another organization. */
    shared: slack.addChannel({
      id: 'C0SHARED001',
      name: 'shared-site',
      members: [dana, stranger],
      isExtShared: true,
    }),
    archived: slack.addChannel({
      id: 'C0ARCHIVE01',
      name: 'old-plans',
      members: everybody,
      isArchived: true,
    }),
    announcements: slack.addChannel({
      id: 'C0READONLY1',
      name: 'announcements',
      members: everybody,
      isReadOnly: true,
    }),
  };
}
