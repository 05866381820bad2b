import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const session = '731-450-286';
let stage: Stage;
let nextId = 600;
beforeAll(async () => {
  stage = await setStage({ name: 'bare ids', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, press, query } = makeStageActions(() => stage);

/** Adds a project that nobody follows yet. */
function newProject(): string {
  const id = `${nextId++}-100-200`;
  const { service } = stage;
  service.act('dana@example.com', { action: 'create-project', name: `Project ${id}`, id });
  const permission = { project: id, email: 'sam@example.com', permission: 'read' } as const;
  service.act('dana@example.com', { action: 'set-permission', ...permission });
  return id;
}

/** Types only an id; returns the announcement, or the question in private. */
async function typeId(user: User, channel: Channel, id: string): Promise<string> {
  const shown = () => [
    ...stage.slack.ephemerals(user, channel),
    ...stage.slack.messages(channel).filter(({ text }) => text.includes('to this channel')),
  ];
  const before = shown().length;
  await stage.type(user, `/subscribe ${id} only deleted`, channel);
  await expect.poll(() => shown().length).toBeGreaterThan(before);
  return shown()
    .map(({ text }) => text)
    .join('\n');
}

test('Sam types only an id that the channel follows: nothing is asked, and it is changed', async () => {
  const { slack, dana, sam } = stage;
  const here = slack.addChannel({ kind: 'private', members: [dana, sam] });
  await following(dana, here, `/subscribe session ${session}`);
  await stage.type(sam, `/subscribe ${session} only deleted`, here);
  await slack.waitForMessage(here, 'Sam Okafor changed the subscription to session');
  expect(slack.ephemerals(sam, here)).toEqual([]);
});

test('an id that other channels or Sam herself follow is asked for like what nobody follows', async () => {
  const { slack, dana, sam } = stage;
  const [inPublic, hidden, own, nobodys] = [newProject(), newProject(), newProject(), newProject()];
  const follow = (user: User, channel: Channel, id: string) =>
    following(user, channel, `/subscribe project ${id}`);
  await follow(dana, newChannel('public elsewhere', [dana]), inPublic);
  await follow(dana, slack.addChannel({ kind: 'private', members: [dana] }), hidden);
  await follow(sam, newChannel('her own', [sam]), own);
  for (const id of [inPublic, hidden, own, nobodys]) {
    const answer = await typeId(sam, newChannel(`asked ${id}`, [sam]), id);
    expect(answer).toBe(
      `Which one do you want?\n\`/subscribe project ${id} only deleted\`\n\`/subscribe session ${id} only deleted\``,
    );
  }
});

test('an id of a project and of a session is asked for, also where both are followed', async () => {
  const { slack, dana } = stage;
  const id = newProject();
  const channel = newChannel('both', [dana]);
  await following(dana, channel, `/subscribe project ${id}`);
  // The practice service gives no two things the same id.
  await query("update plancast.subscriptions set kind = 'session' where channel_id = $1", [channel.id]);
  await stage.type(dana, `/subscribe project ${id}`, channel);
  const made = () => slack.messages(channel).filter(({ text }) => text.includes('to this channel'));
  await expect.poll(() => made().length).toBe(2);
  await stage.type(dana, `/subscribe ${id} only deleted`, channel);
  await press(dana, await slack.waitForEphemeral(dana, 'Which one'), 'A project');
  await slack.waitForMessage(channel, 'Dana Reyes changed the subscription');

  await stage.type(dana, `/unsubscribe ${id}`, channel);
  const question = await slack.waitForEphemeral(dana, `/unsubscribe session ${id}`);
  expect(slack.messages(channel).filter(({ text }) => text.includes('removed'))).toEqual([]);
  await press(dana, question, 'A session');
  await slack.waitForMessage(channel, /removed the subscription to session/);
});

test('a project that admins do not allow is refused although its id needs no question', async () => {
  const { slack, dana } = stage;
  const id = newProject();
  const channel = newChannel('not allowed', [dana]);
  await following(dana, channel, `/subscribe project ${id} itself`);
  await query(`insert into plancast.settings (team_id, value) values ($1, $2)`, [
    stage.teamId,
    JSON.stringify({ projects: ['538-204-917'] }),
  ]);
  await stage.type(dana, `/subscribe ${id}`, channel);
  await slack.waitForEphemeral(dana, `${id} isn’t on the list of projects`);
  await query('delete from plancast.settings');
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
