import type { PracticeSlack } from '../slack/practice-slack.ts';

/** The bot's token for the one workspace there is. */
export const botToken = 'xoxb-practice-northwind';

/**
 * A small studio. Dana's and Sam's addresses are the ones they have at the practice service, so that they are linked at
 * once; Lee has another one there, and has to type a code. The ids are the same at every start.
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
  const person = (id: string, realName: string, email: string, more: { isRestricted?: boolean } = {}) =>
    slack.addUser({
      id,
      teamId,
      name: realName.split(' ')[0] ?? realName,
      realName,
      email,
      tz: timeZone,
      ...more,
    });
  const dana = person('U0DANA00001', 'Dana Reyes', 'dana@example.com');
  const sam = person('U0SAM000001', 'Sam Okafor', 'sam@example.com');
  const lee = person('U0LEE000001', 'Lee Park', 'lee.park@northwind.example');
  const gina = person('U0GINA00001', 'Gina Sol', 'gina@visitor.example', { isRestricted: true });
  const members = [dana, sam, lee];
  slack.addChannel({ id: 'C0PLANS0001', name: 'plans', members: [...members, gina] });
  slack.addChannel({ id: 'C0FACADE001', name: 'facade', members });
  slack.addChannel({
    id: 'C0PRIVATE01',
    name: 'private-plans',
    kind: 'private',
    members,
    botIn: false,
  });
  for (const each of [...members, gina]) slack.directChannel(teamId, each);
}
