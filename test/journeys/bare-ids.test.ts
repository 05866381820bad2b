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

test('Sam types only an id that the channel, a public one, or she herself follows: nothing is asked, and it is subscribed', async () => {
  const { slack, dana, sam } = stage;
  const inPublic = newProject();
  await following(dana, newChannel('public elsewhere', [dana]), `/subscribe project ${inPublic}`);
  const own = newProject();
  await following(sam, slack.addChannel({ kind: 'private', members: [sam] }), `/subscribe project ${own}`);
  for (const id of [inPublic, own]) {
    expect(await typeId(sam, newChannel(`for ${id}`, [sam]), id)).toContain(
      `added project ${id} to this channel`,
    );
  }

  const here = slack.addChannel({ kind: 'private', members: [dana, sam] });
  await following(dana, here, `/subscribe session ${session}`);
  await stage.type(sam, `/subscribe ${session} only deleted`, here);
  await slack.waitForMessage(here, 'Sam Okafor changed the subscription to session');
  expect(slack.ephemerals(sam, here)).toEqual([]);
});

test('what others follow in a private channel, a direct message or a shared channel is asked for like what nobody follows', async () => {
  const { slack, dana, sam } = stage;
  const [hidden, personal, shared, nobodys] = [newProject(), newProject(), newProject(), newProject()];
  await following(
    dana,
    slack.addChannel({ kind: 'private', members: [dana] }),
    `/subscribe project ${hidden}`,
  );
  await stage.type(dana, `/subscribe project ${personal} to me`);
  await slack.waitForDirectMessage(dana, 'You now follow');
  const open = newChannel('shared elsewhere', [dana]);
  await following(dana, open, `/subscribe project ${shared}`);
  await query('update plancast.channels set is_shared = true where channel_id = $1', [open.id]);
  for (const id of [hidden, personal, shared, nobodys]) {
    const answer = await typeId(sam, newChannel(`asked ${id}`, [sam]), id);
    expect(answer).toBe(
      `Which one do you want?\n\`/subscribe project ${id} only deleted\`\n\`/subscribe session ${id} only deleted\``,
    );
  }
});

test('an id of a project and of a session is asked for, also where both are followed', async () => {
  const { slack, dana } = stage;
  const id = newProject();
  const other = newChannel('the session', [dana]);
  await following(dana, other, `/subscribe project ${id}`);
  // The practice service gives no two things the same id.
  await query("update plancast.subscriptions set kind = 'session' where channel_id = $1", [other.id]);
  const channel = newChannel('the project', [dana]);
  await following(dana, channel, `/subscribe project ${id}`);
  await stage.type(dana, `/subscribe ${id} only deleted`, channel);
  await press(dana, await slack.waitForEphemeral(dana, 'Which one'), 'A project');
  await slack.waitForMessage(channel, 'Dana Reyes changed the subscription');
});

test('a project that admins do not allow is refused although its id needs no question', async () => {
  const { slack, dana } = stage;
  const id = newProject();
  const channel = newChannel('not allowed', [dana]);
  await following(dana, channel, `/subscribe project ${id} itself`);
  await query(`insert into plancast.settings (team_id, value, changed_at) values ($1, $2, now())`, [
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
