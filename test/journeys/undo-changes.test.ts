import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'undo changes', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  stage.sam.tz = 'America/New_York';
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, listOf, press, query } = makeStageActions(() => stage);

const rowIn = async (channel: Channel) =>
  (
    await query(
      `select owner_user_id as owner, comprehensive, filters, delivery, threads, typed_name as name, state
       from plancast.subscriptions where channel_id = $1 and state <> 'ended'`,
      [channel.id],
    )
  )[0];

/** Types a command, and waits for the announcement in which `words` are new. */
async function announced(
  user: Stage['dana'],
  line: string,
  channel: Channel,
  words: RegExp,
): Promise<Message> {
  const before = stage.slack.messages(channel).length;
  await stage.type(user, line, channel);
  return stage.slack.waitForMessage(
    channel,
    (message) => stage.slack.messages(channel).indexOf(message) >= before && words.test(message.text),
  );
}

test('Undo of a removal brings the last activity back, too', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage);
  await notify(uri, { item: 'gate', name: 'Gate.pdf' });
  await slack.waitForMessage(channel, 'Gate.pdf');
  await expect.poll(async () => slack.textOf(await listOf(dana, channel))).toContain('last activity');
  const removed = await announced(dana, `/unsubscribe project ${project}`, channel, /removed/);
  await press(dana, removed, 'Undo');
  await slack.waitForMessage(channel, (message) => slack.messages(channel).indexOf(message) > 2);
  expect(slack.textOf(await listOf(dana, channel))).toContain('last activity');
});

test('Undo of a new subscription removes it, which can be undone in turn', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('made', [dana, sam]);
  const made = await following(dana, channel, `/subscribe project ${project} only deleted`);
  expect(slack.textOf(made)).not.toContain('/unsubscribe');
  await press(sam, made, 'Undo');
  const removed = await slack.waitForMessage(channel, 'Sam Okafor removed the subscription');
  expect(await rowIn(channel)).toBeUndefined();
  // The buttons stay, and say that it is gone.
  for (const [index, label] of ['Undo', 'Edit'].entries()) {
    await press(sam, made, label);
    const answers = () => slack.ephemerals(sam, channel).filter(({ text }) => /no longer exists/.test(text));
    await expect.poll(() => answers().length).toBe(index + 1);
  }
  await press(dana, removed, 'Undo');
  await expect.poll(() => rowIn(channel)).toMatchObject({ filters: { only: ['delete'] } });
});

test('Undo of a change restores all that it replaced, for its owner, whoever presses', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('changed', [dana, sam]);
  await following(
    dana,
    channel,
    `/subscribe project ${project} only created in "Plans" digest daily 08:00 threads on`,
  );
  const before = await rowIn(channel);
  const line = `/subscribe project ${project} only deleted in "Details" live threads off as "The tower"`;
  const changed = await announced(dana, line, channel, /changed the subscription/);
  expect(await rowIn(channel)).not.toEqual(before);
  const pressed = await press(sam, changed, 'Undo');
  await pressed.replay();
  const undone = await slack.waitForMessage(channel, 'Sam Okafor changed the subscription');
  // In the time zone of Dana, who typed it.
  expect(slack.textOf(undone)).toContain(' 8:00 London time');
  expect(slack.textOf(undone)).toContain('No longer called *The tower*');
  expect(await rowIn(channel)).toEqual(before);
  await press(sam, changed, 'Undo');
  await slack.waitForEphemeral(sam, 'has changed since then, so nothing was undone.');

  await press(dana, undone, 'Undo');
  await slack.waitForMessage(channel, (each) => slack.messages(channel).indexOf(each) === 3);
  expect(await rowIn(channel)).toMatchObject({
    filters: { only: ['delete'], paths: ['Details'] },
    name: 'The tower',
  });
});

test('Undo of a new scope restores the scope, and a subscription that is paused stays paused', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('scope', [dana, sam]);
  await following(dana, channel);
  const changed = await announced(dana, `/subscribe project ${project} itself`, channel, /changed/);
  await press(dana, await listOf(dana, channel), 'Pause');
  await slack.waitForMessage(channel, 'paused the subscription');
  await press(sam, changed, 'Undo');
  const undone = await slack.waitForMessage(channel, 'Sam Okafor changed');
  expect(slack.textOf(undone)).toContain('*Sam Okafor* owns it now instead of *Dana Reyes*.');
  expect(await rowIn(channel)).toMatchObject({ owner: sam.id, comprehensive: true, state: 'paused' });
});

test('Undo of what somebody has changed since undoes nothing, says so, and offers Edit', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('changed since', [dana, sam]);
  const made = await following(dana, channel);
  const first = await announced(dana, `/subscribe project ${project} only deleted`, channel, /changed/);
  await announced(sam, `/subscribe project ${project} threads on`, channel, /changed/);
  const before = await rowIn(channel);
  for (const [user, message] of [
    [sam, made],
    [dana, first],
  ] as const) {
    await press(user, message, 'Undo');
    const answer = await slack.waitForEphemeral(user, 'has changed since then, so nothing was undone.');
    await press(user, answer, 'Edit');
    await slack.waitForView(user, 'Scope');
  }
  expect(await rowIn(channel)).toEqual(before);
});

test('two people change different options at once: Undo of one leaves the other’s', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('at once', [dana, sam]);
  await following(dana, channel);
  const fault = service.faults.set({ endpoint: 'create', kind: 'delay', ms: 1_000, times: 1 });
  const scope = announced(dana, `/subscribe project ${project} itself`, channel, /Now project only/);
  await expect.poll(() => fault.hits()).toBe(1);
  await announced(sam, `/subscribe project ${project} only deleted`, channel, /Now posting/);
  await press(dana, await scope, 'Undo');
  await slack.waitForMessage(channel, (each) => slack.messages(channel).indexOf(each) === 3);
  expect(await rowIn(channel)).toMatchObject({ comprehensive: true, filters: { only: ['delete'] } });
});

test('ten minutes later Undo says in private that it is too late, and offers Edit; the settings before are forgotten', async () => {
  const { slack, bot, dana } = stage;
  const channel = newChannel('late', [dana]);
  const made = await following(dana, channel);
  const changed = await announced(dana, `/subscribe project ${project} only deleted`, channel, /changed/);
  const before = await rowIn(channel);
  stage.advance(10 * 60_000 + 1_000);
  await bot.runChore('sweep');
  for (const [index, message] of [made, changed].entries()) {
    const answers = () => slack.ephemerals(dana).filter(({ text }) => text.includes('too late to undo'));
    await press(dana, message, 'Undo');
    await expect.poll(() => answers().length).toBe(index + 1);
    expect(slack.button(answers()[index] ?? message, 'Edit')).toBeDefined();
  }
  expect(await rowIn(channel)).toEqual(before);
  expect(await query('select 1 from plancast.subscriptions where undo is not null')).toEqual([]);
});

test('while Slack is slow to let me undo a change, a colleague changes the subscription: that stays', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('slow undo', [dana, sam]);
  await following(dana, channel);
  const changed = await announced(dana, `/subscribe project ${project} only deleted`, channel, /changed/);
  // What Slack said a moment ago about who is in the channel.
  await query(`delete from plancast.keyv where key like 'in-channel:%'`);
  const slow = { method: 'conversations.members', channel: channel.id, delayMs: 3_000, times: 1 } as const;
  const fault = slack.fault(slow);
  await press(dana, changed, 'Undo');
  await expect.poll(() => fault.hits()).toBe(1);
  await announced(sam, `/subscribe project ${project} threads on`, channel, /Sam Okafor/);
  const after = await rowIn(channel);
  await slack.waitForEphemeral(dana, (message) => /has changed since then/.test(slack.textOf(message)));
  expect(await rowIn(channel)).toEqual(after);
});

test('I press the Undo of others with a value of my own: their button stays, and undoes', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('forged value', [dana, sam]);
  const made = await following(dana, channel);
  const removed = await announced(dana, `/unsubscribe project ${project}`, channel, /removed/);
  for (const message of [made, removed]) {
    const button = slack.button(message, 'Undo');
    for (const value of ['', 'x', `${randomUUID()}::${Date.now()}`]) {
      const before = slack.ephemerals(sam, channel).length;
      const element = { ...button, element: { ...button.element, value } };
      await slack.click({ user: sam, message, element });
      await expect.poll(() => slack.ephemerals(sam, channel).length).toBe(before + 1);
    }
    expect(slack.button(message, 'Undo')).toBeDefined();
  }
  await press(dana, removed, 'Undo');
  await slack.waitForMessage(channel, (message) => slack.messages(channel).indexOf(message) === 2);
  expect(await rowIn(channel)).toMatchObject({ owner: dana.id });
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
