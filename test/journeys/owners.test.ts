import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { recordOf } from '../support/remote-rows.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'owners', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, press, query, listOf, chooseInMenu } = makeStageActions(() => stage);
const textOf = (message: Message) => stage.slack.textOf(message);

const rowIn = async (channel: Channel) =>
  (
    await query(
      `select owner_user_id as owner, comprehensive, filters -> 'only' as only, delivery, state, ${recordOf} as remote
       from plancast.subscriptions s where channel_id = $1 and state <> 'ended'`,
      [channel.id],
    )
  )[0];

/** Makes a channel of Dana's and Sam's in which Dana subscribes to a project. */
async function danas(name: string, options = '') {
  const channel = newChannel(name, [stage.dana, stage.sam]);
  await following(stage.dana, channel, `/subscribe project ${project} ${options}`);
  return channel;
}

/** Sam types another scope, and reads the question. */
async function samIsAsked(channel: Channel, line = `/subscribe project ${project} itself`): Promise<Message> {
  const { slack, sam } = stage;
  await stage.type(sam, line, channel);
  return slack.waitForEphemeral(
    sam,
    ({ channelId, text }) => channelId === channel.id && /own it\./.test(text),
  );
}

test('Sam changes an option of what Dana subscribed: the others stay, and so does its owner', async () => {
  const { slack, dana, sam } = stage;
  const channel = await danas('options', 'digest daily 08:00');
  const { delivery, remote } = await rowIn(channel);
  await stage.type(sam, `/subscribe project ${project} only deleted`, channel);
  const changed = await slack.waitForMessage(channel, 'Sam Okafor changed');
  expect(textOf(changed)).not.toContain('owns it');
  expect(await rowIn(channel)).toMatchObject({ owner: dana.id, only: ['delete'], delivery, remote });
});

test('Sam types another scope of what Dana subscribed: she is asked, naming both, and once she agrees it is hers, as the channel reads', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = await danas('scope', 'digest daily 08:00');
  const before = await rowIn(channel);
  const posted = slack.messages(channel).length;
  const question = await samIsAsked(channel, `/subscribe project ${project} itself only deleted`);
  const named = 'Dana Reyes* owns this channel’s subscription to project 412-873-550 (project and contents).';
  expect(textOf(question)).toContain(named);
  expect(textOf(question)).toContain('Change it to project 412-873-550 (project only)?');
  expect(await rowIn(channel)).toEqual(before);
  await press(sam, question, 'Don’t change');
  await expect.poll(() => question.deletedAt).toBeDefined();
  expect(await rowIn(channel)).toEqual(before);
  expect(slack.messages(channel)).toHaveLength(posted);

  const again = await samIsAsked(channel, `/subscribe project ${project} itself only deleted`);
  const pressed = await press(sam, again, 'Change scope');
  await pressed.replay();
  const changed = await slack.waitForMessage(channel, 'Sam Okafor changed');
  expect(textOf(changed)).toContain('*Sam Okafor* owns it now instead of *Dana Reyes*.');
  const after = await rowIn(channel);
  expect(after).toMatchObject({
    owner: sam.id,
    comprehensive: false,
    only: ['delete'],
    delivery: before.delivery,
  });
  expect(service.subscriptions.byId(Number(after.remote))?.user).toBe('sam@example.com');
  await expect.poll(() => service.subscriptions.byId(Number(before.remote))).toBeUndefined();

  // Dana's own line asks her in turn, since it is Sam's now.
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForEphemeral(dana, 'Sam Okafor owns this channel’s subscription');
  expect(slack.messages(channel).filter(({ text }) => text.includes('changed the'))).toHaveLength(1);
});

test('Ira, who is not linked, types another scope: she links first, and is asked only once', async () => {
  const { slack, teamId, dana } = stage;
  const ira = slack.addUser({ teamId, realName: 'Ira', name: 'Ira', email: 'sam@example.com' });
  stage.plans.members.add(ira.id);
  const channel = newChannel('not linked', [dana, ira]);
  await following(dana, channel, `/subscribe project ${project}`);
  await stage.type(ira, `/subscribe project ${project} itself`, channel);
  const offer = await slack.waitForEphemeral(ira, 'Link');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'sam@example.com');
  await press(ira, await slack.waitForEphemeral(ira, /own it\./), 'Change scope');
  await slack.waitForMessage(channel, 'Ira changed');
  expect(await rowIn(channel)).toMatchObject({ owner: ira.id, comprehensive: false });
});

test('who owns it changes its scope without being asked, and without a word about the owner', async () => {
  const { slack, dana } = stage;
  const channel = await danas('own scope');
  await stage.type(dana, `/subscribe project ${project} itself`, channel);
  const changed = await slack.waitForMessage(channel, 'Dana Reyes changed');
  expect(textOf(changed)).not.toContain('owns it');
});

test('Sam chooses another scope in the form of what Dana subscribed: she is asked, too', async () => {
  const { slack, sam, dana } = stage;
  const channel = await danas('form');
  await chooseInMenu(sam, await listOf(sam, channel), 'edit');
  await slack.waitForView(sam, 'Scope');
  await slack.submitView({ user: sam, values: { scope: 'plain' } });
  const question = await slack.waitForEphemeral(
    sam,
    ({ channelId, text }) => channelId === channel.id && text.includes('own it.'),
  );
  expect(await rowIn(channel)).toMatchObject({ owner: dana.id, comprehensive: true });
  await press(sam, question, 'Change scope');
  await slack.waitForMessage(channel, 'owns it now');
  expect(await rowIn(channel)).toMatchObject({ owner: sam.id, comprehensive: false });
});

test('an old question about a scope: removed meanwhile, it makes nothing; without the right, it changes nothing', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = await danas('stale');
  const question = await samIsAsked(channel);
  const before = await rowIn(channel);

  await query(
    `insert into plancast.settings (team_id, value) values ($1, '{"subscribers":{"kind":"admins"}}')`,
    [stage.teamId],
  );
  await press(sam, question, 'Change scope');
  await slack.waitForEphemeral(sam, /admin/i);
  await query('delete from plancast.settings');
  expect(await rowIn(channel)).toEqual(before);

  await stage.type(dana, `/unsubscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Dana Reyes removed');
  await expect.poll(() => service.subscriptions.byId(Number(before.remote))).toBeUndefined();
  const remotes = service.subscriptions.all().length;
  await press(sam, question, 'Change scope');
  await slack.waitForEphemeral(sam, 'no longer exists');
  expect(await rowIn(channel)).toBeUndefined();
  expect(service.subscriptions.all()).toHaveLength(remotes);
});

test('Dana unlinked, and Sam types options, or the same again: it stays paused and Dana’s, and Sam reads how to take it over', async () => {
  const { slack, sam } = stage;
  const owner = slack.addUser({ teamId: stage.teamId, realName: 'Una Unlinks', email: 'dana@example.com' });
  stage.plans.members.add(owner.id);
  await stage.link(owner, 'dana@example.com');
  const channel = newChannel('unlinked', [owner, sam]);
  await following(owner, channel);
  await stage.type(owner, '/plancast unlink', channel);
  await press(owner, await slack.waitForEphemeral(owner, 'Unlink your account'), 'Unlink');
  await slack.waitForMessage(channel, 'unlinked their account');

  await stage.type(sam, `/subscribe project ${project} only deleted`, channel);
  await slack.waitForMessage(channel, 'Sam Okafor changed');
  const answer = await slack.waitForEphemeral(sam, /is paused: .* unlinked their account/);
  expect(await rowIn(channel)).toMatchObject({ owner: owner.id, state: 'paused', only: ['delete'] });
  await stage.type(sam, `/subscribe project ${project}`, channel);
  const paused = () => slack.ephemerals(sam, channel).filter(({ text }) => text.includes('is paused:'));
  await expect.poll(paused).toHaveLength(2);
  expect(slack.ephemerals(sam, channel).at(-2)?.text).toContain('This channel already follows');
  expect(await rowIn(channel)).toMatchObject({ owner: owner.id, state: 'paused' });
  await press(sam, answer, 'Take over');
  await slack.waitForMessage(channel, 'Sam Okafor took over');
  await expect.poll(() => rowIn(channel)).toMatchObject({ owner: sam.id, state: 'active', only: ['delete'] });
});

test('Dana unlinks, and the channel has two of theirs: one message names both, and Sam takes both over with one press, again without effect', async () => {
  const { slack, sam } = stage;
  const owner = slack.addUser({
    teamId: stage.teamId,
    realName: 'Ona Owner',
    name: 'Ona Owner',
    email: 'dana@example.com',
  });
  stage.plans.members.add(owner.id);
  await stage.link(owner, 'dana@example.com');
  const channel = newChannel('two', [owner, sam]);
  await following(owner, channel);
  await following(owner, channel, '/subscribe session 731-450-286');
  await slack.waitForMessage(channel, '731-450-286');
  await stage.type(owner, '/plancast unlink', channel);
  await press(owner, await slack.waitForEphemeral(owner, 'Unlink your account'), 'Unlink');
  const paused = await slack.waitForMessage(channel, 'unlinked their account');
  expect(textOf(paused)).toMatch(
    /2 subscriptions are paused: \*Ona Owner\* unlinked their account\.\n.*412-873-550.*731-450-286/s,
  );
  await press(sam, paused, 'Take over all 2');
  const states = () =>
    query(`select owner_user_id as owner, state from plancast.subscriptions where channel_id = $1`, [
      channel.id,
    ]);
  await expect.poll(states).toEqual(Array(2).fill({ owner: sam.id, state: 'active' }));
  const unlinkedWords = () => slack.messages(channel).filter(({ text }) => text.includes('unlinked their'));
  expect(unlinkedWords()).toHaveLength(1);
  await press(sam, paused, 'Take over all 2');
  await slack.waitForEphemeral(sam, 'no longer exists');
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
