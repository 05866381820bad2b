import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'personal', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { newChannel, press, query } = makeStageActions(() => stage);

test('Dana follows a project for herself: only she gets messages, and nothing is posted in the channel', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('where it is typed', [dana, sam]);
  await stage.type(dana, `/subscribe project ${project} to me`, channel);
  const made = await slack.waitForDirectMessage(dana, 'You now follow');
  const answer = await slack.waitForEphemeral(dana, 'Check your direct messages with me');
  expect(answer.channelId).toBe(channel.id);
  expect(slack.textOf(answer)).toContain(`/subscribe project ${project} to me`);
  // Nothing can be typed there: what she may want to do has a button.
  expect(
    slack
      .directMessages(dana)
      .map((message) => slack.textOf(message))
      .join('\n'),
  ).not.toMatch(/type it here|Undo: |\/unsubscribe/);
  // What it announced is stored once Slack has answered the post.
  await expect
    .poll(() => query('select from plancast.audit where message_ts = $1', [made.ts]))
    .toHaveLength(1);
  await slack.shortcut({ user: dana, callbackId: 'why', message: made });
  const why = await slack.waitForEphemeral(dana, 'That message announced');
  expect(slack.textOf(why)).toMatch(/Dana Reyes\*? subscribed to project 412-873-550( ·|$)/m);
  await press(dana, made, 'Edit');
  await slack.waitForView(dana, 'Edit subscription');
  await slack.submitView({ user: dana, values: { types: ['create'] } });
  const changed = await slack.waitForDirectMessage(dana, 'You changed the subscription');
  expect(slack.textOf(changed)).not.toContain('/unsubscribe');
  expect(slack.messages(channel)).toEqual([]);
  const [row] = await query('select channel_id from plancast.subscriptions where owner_user_id = $1', [
    dana.id,
  ]);
  expect(row?.channel_id).toMatch(/^D/);

  service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name: 'For Dana.pdf' });
  await slack.waitForDirectMessage(dana, 'For Dana.pdf');
  expect(slack.directMessages(sam)).toEqual([]);

  // Each such command is answered where it was typed, too.
  const answers = () =>
    slack.ephemerals(dana, channel).filter(({ text }) => text.includes('Check your direct messages with me'))
      .length;
  await press(dana, changed, 'Stop following');
  const removed = await slack.waitForDirectMessage(dana, 'You removed the subscription');
  expect(slack.textOf(removed)).not.toContain('/subscribe');
  await press(dana, removed, 'Undo');
  await expect
    .poll(() => slack.directMessages(dana).filter(({ text }) => text.includes('You now follow')))
    .toHaveLength(2);
  await stage.type(dana, `/unsubscribe project ${project} to me`, channel);
  await expect.poll(answers).toBe(2);
  await stage.type(dana, '/subscriptions to me', channel);
  await slack.waitForEphemeral(dana, 'You have no subscriptions of your own.');
  expect(slack.messages(channel)).toEqual([]);
});

test('my direct messages are muted and unmuted in Home, since `to me` goes with no other verb than those of subscriptions', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('muting myself', [dana]);
  await stage.type(dana, `/subscribe project ${project} to me`, channel);
  await slack.waitForDirectMessage(dana, 'You now follow');
  const pressHome = async (label: string) => {
    await slack.openHome(dana);
    const view = await slack.waitForHome(dana, (home) => JSON.stringify(home.blocks).includes(`"${label}"`));
    await slack.click({ user: dana, view, element: slack.button(view, label) });
  };
  await pressHome('Mute');
  const muted = await slack.waitForDirectMessage(dana, 'You muted me until');
  service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name: 'Quiet.pdf' });
  await stage.type(dana, '/subscriptions to me', channel);
  const listed = await slack.waitForEphemeral(dana, 'Muted until');
  await press(dana, listed, 'Unmute');
  await slack.waitForDirectMessage(dana, 'You unmuted me.');
  await slack.waitForDirectMessage(dana, 'Quiet.pdf');
  await pressHome('Mute');
  await slack.waitForDirectMessage(
    dana,
    (each) => each !== muted && each.text.includes('You muted me until'),
  );
  await press(dana, muted, 'Unmute');
  const unmuted = () => slack.directMessages(dana).filter(({ text }) => text.includes('You unmuted me.'));
  await expect.poll(unmuted).toHaveLength(2);

  await stage.type(dana, '/plancast mute 1h to me', channel);
  const answer = await slack.waitForEphemeral(dana, 'mute 1h');
  expect(slack.textOf(answer)).toContain('to me');
  expect(slack.messages(channel)).toEqual([]);
  await stage.type(dana, `/unsubscribe project ${project} to me`, channel);
  await slack.waitForDirectMessage(dana, 'You removed the subscription');
});

test('I unsubscribe myself in a channel: what I read is about my own messages, not about the channel', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('own and shared', [dana]);
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'to this channel');
  for (const id of ['538-204-917', '660-118-342']) {
    await stage.type(dana, `/subscribe project ${id} to me`, channel);
    await slack.waitForDirectMessage(dana, new RegExp(`You now follow .*${id}`));
  }
  await stage.type(dana, '/unsubscribe all to me', channel);
  const question = await slack.waitForEphemeral(
    dana,
    'Remove both subscriptions in your direct messages with me? Nothing will be posted there anymore.',
  );
  await press(dana, question, 'Remove all');
  await slack.waitForDirectMessage(dana, 'You removed 2 subscriptions');
  const left = await query(
    `select kind from plancast.subscriptions where channel_id = $1 and state = 'active'`,
    [channel.id],
  );
  expect(left).toHaveLength(1);
});

test('in a direct message with another person I read that the bot cannot post there, and how to get the messages myself', async () => {
  const { slack, dana, sam } = stage;
  const direct = slack.addChannel({ kind: 'im', members: [dana, sam], botIn: false });
  await stage.type(dana, `/subscribe project ${project}`, direct);
  await slack.waitForEphemeral(dana, /can’t post in direct messages between other people.*to me/s);
});

test('a guest cannot follow anything for themselves', async () => {
  const { slack, guest } = stage;
  const channel = newChannel('with a guest', [guest]);
  await stage.type(guest, `/subscribe project ${project} to me`, channel);
  await slack.waitForEphemeral(guest, 'Guests can’t do that');
  expect(slack.directMessages(guest)).toEqual([]);
});

test('a mistyped line comes back as it was understood, and one press runs it', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('mistyped', [dana]);
  await stage.type(dana, `/subscribe projct ${project} digest daily`, channel);
  const answer = await slack.waitForEphemeral(dana, 'I understood `/subscribe');
  expect(slack.textOf(answer)).toContain(`/subscribe project ${project} digest daily 09:00`);
  await press(dana, answer, 'Run this');
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(slack.textOf(made)).toContain('in a daily digest at 9:00');
});

test('a line with slips names the people in it as I know them, pings nobody, and its button filters by them', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('mentions', [dana, sam]);
  const typed = `/subscribe projct ${project} onyl added by me, <@${sam.id}> <@U0GONE> <@U0LEE|lee.park>`;
  await stage.type(dana, typed, channel);
  const answer = await slack.waitForEphemeral(dana, 'I understood `/subscribe');
  const people = 'me @Sam Okafor @someone @someone';
  expect(slack.textOf(answer)).toContain(`\`/subscribe project ${project} only added by ${people}\``);
  expect(answer.mentions).toEqual([]);
  await press(dana, answer, 'Run this');
  await slack.waitForMessage(channel, 'to this channel');
  const [row] = await query('select filters from plancast.subscriptions where channel_id = $1', [channel.id]);
  const by = [dana.id, sam.id, 'U0GONE', 'U0LEE'].map((userId) => ({ userId }));
  expect(row).toMatchObject({ filters: { only: ['create'], by } });
});

test('a word that is another person is quoted back by name, too', async () => {
  const { slack, dana, sam } = stage;
  await stage.type(dana, `/plancast mute <@${sam.id}>`, newChannel('a mention', [dana]));
  expect(slack.textOf(await slack.waitForEphemeral(dana, '`mute` can’t be'))).toContain('`@Sam Okafor`');
});

test('a digest holds changes back, except for the types that are posted right away', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('except deleted', [dana]);
  await stage.type(dana, `/subscribe project ${project} digest hourly except deleted`, channel);
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(slack.textOf(made)).toContain('in an hourly digest, deletions as they happen');
  service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name: 'Short.pdf' });
  service.act('dana@example.com', { action: 'delete-item', project, item: 'Plans/Short.pdf' });
  await slack.waitForMessage(channel, /deleted.*Short\.pdf/s);
  const states = () =>
    query('select state, reason from plancast.events where channel_id = $1 order by seq', [channel.id]);
  await expect.poll(states).toEqual([
    { state: 'pending', reason: 'digest' },
    { state: 'posted', reason: null },
  ]);
});

test('Slack lets the bot send Lee no direct message: who asks for messages to themselves reads that, and what to do', async () => {
  const { slack, teamId } = stage;
  const lee = slack.addUser({ teamId, realName: 'Lee Park', email: 'lee@example.com' });
  slack.fault({ method: 'chat.postMessage', channel: lee.id, error: 'messages_tab_disabled' });
  await stage.type(lee, `/subscribe project ${project} to me`, newChannel('without messages', [lee]));
  await slack.waitForEphemeral(lee, 'Slack doesn’t let me send you direct messages. Ask a workspace admin');
});

test('Dana unlinks while she follows a project for herself: she reads that it resumes once she links again, and of nobody else', async () => {
  const { slack, dana } = stage;
  await stage.type(dana, `/subscribe project ${project} to me`, newChannel('unlinking', [dana]));
  // Commands are rate limited by minute.
  stage.advance(61_000);
  const own = `select 1 from plancast.subscriptions where channel_id like 'D%' and state = 'active'`;
  await expect.poll(() => query(own)).toHaveLength(1);
  await stage.type(dana, '/plancast unlink', newChannel('unlink', [dana]));
  await press(dana, await slack.waitForEphemeral(dana, 'Unlink your account'), 'Unlink');
  const paused = await slack.waitForDirectMessage(dana, 'paused: you unlinked your account');
  expect(slack.textOf(paused)).toContain('once you link again');
  expect(slack.textOf(paused)).not.toMatch(/Anyone|Dana Reyes/);
  expect(() => slack.button(paused, 'Link again')).not.toThrow();
});
