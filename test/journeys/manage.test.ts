import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { heldBy } from '../../sandbox/slack/element-values.ts';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { stateValues, type View } from '../../sandbox/slack/views.ts';
import { type Stage, setStage } from '../support/stage.ts';

const project = '412-873-550';
const tower = 'Harbour Tower';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'manage' });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

type Person = Stage['dana'];

const newChannel = (name: string, members: readonly Person[] = [stage.dana, stage.sam]) =>
  stage.slack.addChannel({ name, members });

async function following(channel: Channel, line = `/subscribe project ${project}`, user = stage.dana) {
  await stage.type(user, line, channel);
  return stage.slack.waitForMessage(channel, 'subscribed this channel');
}

async function listOf(channel: Channel, user = stage.dana, line = '/subscriptions'): Promise<Message> {
  const before = new Set(stage.slack.ephemerals(user).map(({ id }) => id));
  await stage.type(user, line, channel);
  return stage.slack.waitForEphemeral(
    user,
    (message) => !before.has(message.id) && message.text.includes('This channel follows'),
  );
}

function press(user: Person, message: Message, button: string) {
  return stage.slack.click({ user, message, element: stage.slack.button(message, button) });
}

function held(view: View, actionId: string): unknown {
  const found = findElements(view.blocks).find((element) => element.actionId === actionId);
  return found && heldBy(found.element, stateValues(view)[found.blockId]?.[actionId] ?? {});
}

const query = async (text: string, values: unknown[]) =>
  (await stage.database.connect().pool.query(text, values)).rows;

test('200 subscriptions are paged through, each with its buttons, and removing one stays on its page', async () => {
  const { slack, sam, teamId } = stage;
  const channel = newChannel('two hundred');
  const values = Array.from({ length: 200 }, (_, index) => [
    `item-${index}`,
    randomBytes(32).toString('hex'),
  ]);
  await query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, item_id, comprehensive,
       filters, delivery, threads, callback_token_hash, callback_base, state, created_at, changed_at)
     select $1, $2, $3, 'file', '412-873-550', v->>0, false, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}',
       false, decode(v->>1, 'hex'), 'https://bot.example', 'active', now() + n * interval '1 ms', now()
     from jsonb_array_elements($4::jsonb) with ordinality as t(v, n)`,
    [teamId, channel.id, sam.id, JSON.stringify(values)],
  );
  const list = await listOf(channel, sam);
  const seen: string[] = [];
  for (let page = 1; page <= 20; page += 1) {
    await expect.poll(() => list.text, { timeout: 10_000 }).toContain(`page ${page} of 20`);
    const buttons = findElements(list.blocks).filter((found) => labelOf(found) === 'Remove');
    expect(buttons).toHaveLength(10);
    seen.push(...buttons.map(({ element }) => String(element.value)));
    if (page < 20) await press(sam, list, 'Next');
  }
  expect(new Set(seen).size).toBe(200);
  await press(sam, list, 'Remove');
  await expect.poll(() => list.text, { timeout: 10_000 }).toMatch(/199 things \(page 20 of 20\)/);
  await slack.waitForMessage(channel, 'Sam Okafor removed');
}, 60_000);

test('Edit opens the form as the subscription is, and saving it changes that and nothing else', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('edited');
  await following(
    channel,
    `/subscribe project ${project} only create in "Plans/**" "!**/*.bak" by lee@example.com @${sam.name} digest daily 9:15 threads on`,
  );
  const before = service.subscriptions.all().length;
  const list = await listOf(channel);
  await press(dana, list, 'Edit');
  const form = await slack.waitForView(dana, 'Change what is told');
  expect(slack.textOf({ ...form, text: '' })).toContain('412-873-550');
  expect(held(form, 'form_types')).toEqual([expect.objectContaining({ value: 'create' })]);
  expect(held(form, 'form_paths')).toBe('Plans/**\n!**/*.bak');
  expect(held(form, 'form_by_emails')).toBe('lee@example.com');
  expect(held(form, 'form_by_users')).toEqual([sam.id]);
  expect(held(form, 'form_at')).toBe('09:15');
  await slack.waitForView(dana, 'in one message a day, at 09:15');
  const sent = await slack.submitView({ user: dana, values: { paths: '', types: ['create', 'delete'] } });
  expect(sent.outcome).toBe('closed');
  const told = slack
    .textOf(await slack.waitForMessage(channel, 'changed this channel'))
    .replaceAll('\u200b', '');
  expect(told).toMatch(/Posted: only what is added or deleted; only what lee@example.com or Sam Okafor does/);
  expect(told).not.toContain('When:');
  expect(told).not.toContain('Threads:');
  expect(service.subscriptions.all().length).toBe(before);
});

test('a subscription that was paused posts nothing while others do, and tells all of it in one summary when resumed', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('paused');
  await following(channel);
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'session 731-450-286');
  const list = await listOf(channel);
  await press(dana, list, 'Pause');
  const paused = await slack.waitForMessage(channel, 'Dana Reyes paused');
  await expect.poll(() => slack.textOf(list)).toContain('paused: somebody here wanted a rest from it');
  service.act('dana@example.com', { action: 'add-files', project: tower, count: 4, prefix: 'Quiet' });
  service.act('dana@example.com', { action: 'add-document', session: '731-450-286', name: 'Loud.pdf' });
  await slack.waitForMessage(channel, 'Loud.pdf');
  await service.settled();
  await expect
    .poll(() =>
      query("select count(*)::int from plancast.events where reason = 'paused' and channel_id = $1", [
        channel.id,
      ]),
    )
    .toEqual([{ count: 4 }]);
  expect(slack.messages(channel).filter(({ text }) => text.includes('Quiet'))).toEqual([]);

  await press(sam, paused, 'Resume');
  await slack.waitForMessage(channel, 'Sam Okafor resumed');
  const summary = await slack.waitForMessage(channel, '4 changes');
  expect(summary.text).toContain('Dana Reyes');
  // Somebody who presses it once more learns that it is done.
  await press(dana, paused, 'Resume');
  await slack.waitForEphemeral(dana, 'is not paused');
});

test('a digest waits while its subscription is paused', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('paused digest');
  await following(channel, `/subscribe project ${project} digest hourly`);
  service.act('dana@example.com', { action: 'create-file', project: tower, name: 'Held.pdf' });
  await service.settled();
  await press(dana, await listOf(channel), 'Pause');
  const paused = await slack.waitForMessage(channel, 'Dana Reyes paused');
  stage.advance(3_600_000);
  await stage.bot.runChore('sweep');
  expect(slack.messages(channel).at(-1)).toBe(paused);
  await press(dana, paused, 'Resume');
  await slack.waitForMessage(channel, 'Dana Reyes resumed');
  await stage.bot.runChore('sweep');
  await slack.waitForMessage(channel, 'Held.pdf');
});

test('Undo brings a removed subscription back as it was, once, and belongs to whoever pressed it', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('undone');
  dana.tz = 'America/New_York';
  await following(
    channel,
    `/subscribe project ${project} only create in "Plans/**" digest daily 08:00 threads on`,
  );
  const [before] = await query('select * from plancast.subscriptions where channel_id = $1', [channel.id]);
  await press(dana, await listOf(channel, dana, '/unsubscribe'), 'Remove');
  const removed = await slack.waitForMessage(channel, 'Dana Reyes removed');
  await expect.poll(() => service.subscriptions.byId(Number(before.service_subscription_id))).toBeUndefined();
  const pressed = await press(sam, removed, 'Undo');
  await pressed.replay();
  const again = await slack.waitForMessage(channel, 'Sam Okafor subscribed');
  expect(slack.textOf(again)).toContain('at 08:00 (America/New_York)');
  const [after] = await query(
    "select * from plancast.subscriptions where channel_id = $1 and state <> 'ended'",
    [channel.id],
  );
  for (const column of ['filters', 'delivery', 'threads', 'comprehensive']) {
    expect(after[column]).toEqual(before[column]);
  }
  expect(after.owner_user_id).toBe(sam.id);
  // What came back meanwhile is not made twice.
  await press(dana, removed, 'Undo');
  await slack.waitForEphemeral(dana, 'already follows');
});

test('ten minutes after a removal, Undo says that it is too late, and what to type instead', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('too late');
  await following(channel, `/subscribe session 731-450-286 itself only delete`);
  await stage.type(dana, '/unsubscribe session 731-450-286', channel);
  const removed = await slack.waitForMessage(channel, 'Dana Reyes removed');
  stage.advance(10 * 60_000 + 1_000);
  await press(dana, removed, 'Undo');
  const answer = await slack.waitForEphemeral(dana, '10 minutes only');
  expect(slack.textOf(answer)).toContain(
    '/subscribe session 731-450-286 itself only delete live threads off',
  );
});

test('all that was removed at once comes back at once', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('all of it');
  await following(channel);
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'session 731-450-286');
  await stage.type(dana, '/unsubscribe all', channel);
  await press(dana, await slack.waitForEphemeral(dana, 'Remove all 2'), 'Remove all');
  const removed = await slack.waitForMessage(channel, 'removed 2 subscriptions');
  await press(dana, removed, 'Undo');
  await expect
    .poll(() =>
      query("select count(*)::int from plancast.subscriptions where channel_id = $1 and state = 'active'", [
        channel.id,
      ]),
    )
    .toEqual([{ count: 2 }]);
});

test('what was removed while the service was away is removed there once it is back', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('away');
  await following(channel);
  const record = service.subscriptions.all().at(-1)?.id ?? 0;
  const away = service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await stage.type(dana, `/unsubscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Dana Reyes removed');
  await expect.poll(() => away.hits()).toBeGreaterThan(0);
  expect(service.subscriptions.byId(record)).toBeDefined();
  away.remove();
  await stage.bot.runChore('sweep');
  expect(service.subscriptions.byId(record)).toBeUndefined();
});

test('somebody else takes over what stands still because its owner unlinked, and the news goes on', async () => {
  const { slack, service, sam, ravi } = stage;
  const channel = newChannel('taken over', [sam, ravi]);
  await stage.type(ravi, '/plancast link', channel);
  const offer = await slack.waitForEphemeral(ravi, 'press Link');
  const page = await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  const code = /\b[A-HJ-NP-Z2-9]{6}\b/.exec(page.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? '';
  await stage.type(ravi, `/plancast link ${code}`, channel);
  await slack.waitForDirectMessage(ravi, 'now linked');
  await following(channel, `/subscribe project ${project}`, ravi);
  await stage.type(ravi, '/plancast unlink', channel);
  await press(ravi, await slack.waitForEphemeral(ravi, 'Unlink your account'), 'Unlink');
  await slack.waitForMessage(channel, 'Ravi Menon has unlinked');
  const list = await listOf(channel, sam);
  await press(sam, list, 'Take over');
  await slack.waitForMessage(channel, 'Sam Okafor took over');
  await expect.poll(() => slack.textOf(list)).toMatch(/working.*Sam Okafor/s);
  service.act('dana@example.com', { action: 'create-file', project: tower, name: 'After all.pdf' });
  await slack.waitForMessage(channel, 'After all.pdf');
});

test('a change that two subscriptions of a channel tell is posted once', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('covered');
  await following(channel);
  const { data } = service;
  const file = data.item(data.project(project), 'Specifications/Concrete.docx').id;
  await stage.type(dana, `/subscribe file ${project} ${file}`, channel);
  await press(dana, await slack.waitForEphemeral(dana, 'Add it anyway?'), 'Add anyway');
  await slack.waitForMessage(channel, `file \`${file}\``);
  service.act('dana@example.com', {
    action: 'rename-item',
    project: tower,
    item: 'Specifications/Concrete.docx',
    name: 'Concrete 2.docx',
  });
  await service.settled();
  await slack.waitForMessage(channel, 'Concrete 2.docx');
  await expect
    .poll(() =>
      query('select state, reason from plancast.events where channel_id = $1 order by state', [channel.id]),
    )
    .toEqual([
      { state: 'filtered', reason: 'covered' },
      { state: 'posted', reason: null },
    ]);
  expect(slack.messages(channel).filter(({ text }) => text.includes('Concrete 2.docx'))).toHaveLength(1);
});

test('whoever has left the channel can do nothing with the list that is still on their screen', async () => {
  const { slack, dana, ravi } = stage;
  const channel = newChannel('left', [dana]);
  await following(channel);
  const list = await listOf(channel);
  for (const button of ['Edit', 'Pause', 'Remove']) {
    await press(ravi, list, button);
    const refusal = await slack.waitForEphemeral(ravi, 'Only people who are in the channel can do that');
    refusal.deletedAt = Date.now();
  }
  expect(await query('select state from plancast.subscriptions where channel_id = $1', [channel.id])).toEqual(
    [{ state: 'active' }],
  );
});

test('nothing the bot showed was refused or disliked by Slack', () => {
  expect(stage.slack.offences.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
