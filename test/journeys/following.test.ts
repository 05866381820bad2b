import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { followed } from '../support/followed.ts';
import { recordOf } from '../support/remote-rows.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions, menuOf } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'following', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { query, chooseInMenu, press } = makeStageActions(() => stage);

const follow = (user: User, message: Message) => chooseInMenu(user, message, 'follow');

/** Makes a channel that Dana subscribed and Sam is in, and a file in the project. Returns the channel's message about it, too. */
async function channelWith(name: string) {
  const { slack, service, sam } = stage;
  const { channel, uri } = await followed(stage);
  channel.members.add(sam.id);
  service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name });
  const message = await slack.waitForMessage(channel, name);
  const item = service.data.item(service.data.project(project), `Plans/${name}`).id;
  return { channel, uri, message, item };
}

const recordsOf = (email: string) => stage.service.subscriptions.all().filter(({ user }) => user === email);

/** Sam's own subscription to an item, as the database has it. */
const samsRow = async (item: string) =>
  (
    await query(
      `select id, state, reason, channel_id, ${recordOf} as record from plancast.subscriptions s where owner_user_id = $1 and item_id = $2`,
      [stage.sam.id, item],
    )
  )[0];

test('Sam, who is not linked, follows a file: she is offered the link, and once she is linked it is a subscription of her own', async () => {
  const { slack, sam } = stage;
  const { channel, message, item } = await channelWith('Gate.pdf');
  const shown = slack.messages(channel).length;
  await follow(sam, message);
  const offer = await slack.waitForEphemeral(sam, 'Link');
  expect(await samsRow(item)).toBeUndefined();
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'sam@example.com');
  const made = await slack.waitForDirectMessage(sam, 'You now follow file “Gate.pdf”');
  expect(slack.messages(channel)).toHaveLength(shown);
  expect(recordsOf('sam@example.com')).toHaveLength(1);

  stage.service.act('dana@example.com', { action: 'rename-item', project, item, name: 'Gate 2.pdf' });
  const posted = await slack.waitForDirectMessage(sam, 'Gate 2.pdf');
  // The menu in the direct message must not offer to follow it there.
  expect(JSON.stringify(menuOf(posted)?.element)).not.toContain('follow-item');
  await follow(sam, message);
  await slack.waitForEphemeral(sam, /already/);
  expect(recordsOf('sam@example.com')).toHaveLength(1);

  await stage.type(sam, '/unsubscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'removed the subscription');
  channel.members.delete(sam.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: sam.id, team: stage.teamId });
  stage.service.act('dana@example.com', { action: 'rename-item', project, item, name: 'Gate 3.pdf' });
  await slack.waitForDirectMessage(sam, ({ text }) => text.includes('Gate 3.pdf'));

  await press(sam, made, 'Stop following');
  const removed = await slack.waitForDirectMessage(sam, 'You removed the subscription');
  await expect.poll(() => recordsOf('sam@example.com')).toHaveLength(0);
  await press(sam, removed, 'Undo');
  await expect.poll(() => recordsOf('sam@example.com')).toHaveLength(1);
});

test('a file of a project that admins no longer allow cannot be followed from an older subscription', async () => {
  const { slack, sam, teamId } = stage;
  const { message, item } = await channelWith('Attic.pdf');
  await query(`insert into plancast.settings (team_id, value) values ($1, $2)`, [
    teamId,
    JSON.stringify({ projects: ['538-204-917'] }),
  ]);
  await follow(sam, message);
  await slack.waitForEphemeral(sam, '412-873-550 isn’t on the list of projects');
  await query('delete from plancast.settings');
  expect(await samsRow(item)).toBeUndefined();
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Attic.pdf');
});

test('a file that was deleted since cannot be followed, and a session document’s menu does not offer it', async () => {
  const { slack, service, sam, dana } = stage;
  const { channel, message, item } = await channelWith('Shed.pdf');
  service.act('dana@example.com', { action: 'delete-item', project, item });
  await slack.waitForMessage(channel, ({ text }) => /deleted/.test(text));
  await follow(sam, message);
  await slack.waitForEphemeral(sam, 'That was deleted');
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'session 731-450-286');
  service.act('dana@example.com', { action: 'add-document', session: '731-450-286', name: 'Minutes.pdf' });
  const posted = await slack.waitForMessage(channel, 'Minutes.pdf');
  expect(JSON.stringify(menuOf(posted)?.element)).not.toContain('follow-item');
});

test('what a person follows is in their Home tab, can be stopped there, and is taken back with Undo', async () => {
  const { slack, sam } = stage;
  const { message } = await channelWith('Canopy.pdf');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Canopy.pdf');
  await slack.openHome(sam);
  const home = await slack.waitForHome(sam, 'Canopy.pdf');
  expect(slack.textOf(home)).toContain('Your direct messages with me');
  const stop = findElements(home.blocks).find(({ element }) =>
    /^(Remove|Stop following) .*Canopy\.pdf/.test(String(element.accessibility_label)),
  );
  if (!stop) throw new Error('there is no button to stop following');
  expect(JSON.stringify(stop.element)).toContain('This can be undone');
  await slack.click({ user: sam, view: home, element: stop });
  await slack.waitForDirectMessage(sam, /You removed the subscription .*Canopy\.pdf/);
  await slack.waitForHome(sam, (view) => !JSON.stringify(view).includes('Canopy.pdf'));
});

/** Stores that Sam, or another person, follows items as an earlier release did: fed by the channel's subscription, without a remote one. */
async function fedBefore(channelId: string, items: readonly string[], user = stage.sam, directId?: string) {
  const [own] = await query(
    `select channel_id from plancast.subscriptions where owner_user_id = $1 and channel_id like 'D%'`,
    [stage.sam.id],
  );
  await query('alter table plancast.subscriptions add column if not exists fed_by uuid', []);
  await query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, item_id, comprehensive, filters, delivery,
       threads, resource_name, fed_by, state, created_at, changed_at)
     select s.team_id, $1, $2, 'file', s.parent_id, i, false, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}', false,
       'Followed ' || i, s.id, 'active', s.created_at, s.changed_at
     from plancast.subscriptions s, unnest($3::text[]) i where s.channel_id = $4`,
    [directId ?? own?.channel_id, user.id, items, channelId],
  );
}

/** What the migration does with such rows. */
const upgrade = async () =>
  void (await query(await readFile('src/store/migrations/0053-own-followed.sql', 'utf8'), []));

test('what Sam followed under an earlier release becomes a subscription of her own; if the service refuses it, she reads why, once', async () => {
  const { slack, service, sam } = stage;
  const { channel, item } = await channelWith('Porch.pdf');
  const other = (await channelWith('Ramp.pdf')).item;
  await fedBefore(channel.id, [item]);
  const records = recordsOf('sam@example.com').length;
  await upgrade();
  await stage.checkLinks();
  expect(recordsOf('sam@example.com')).toHaveLength(records + 1);
  expect(await samsRow(item)).toMatchObject({ state: 'active' });
  service.act('dana@example.com', { action: 'rename-item', project, item, name: 'Porch 2.pdf' });
  await slack.waitForDirectMessage(sam, 'Porch 2.pdf');
  await fedBefore(channel.id, [other]);
  const refusal = service.faults.set({ endpoint: 'create', kind: 'answer', status: 403 });
  await upgrade();
  await stage.checkLinks();
  const told = () => slack.directMessages(sam).filter(({ text }) => text.includes(`Followed ${other}`));
  await expect.poll(told).toHaveLength(1);
  expect(await samsRow(other)).toMatchObject({ state: 'paused', reason: 'no access' });
  refusal.remove();
});

test('a person without a link is told once that what they followed waits for it, and goes on with it once they are linked', async () => {
  const { slack, teamId } = stage;
  const lee = slack.addUser({ teamId, realName: 'Lee Park', name: 'lee', email: 'lee@example.com' });
  const { channel, item } = await channelWith('Vent.pdf');
  channel.members.add(lee.id);
  await stage.type(lee, '/subscribe project 412-873-550 to me', channel);
  const offer = await slack.waitForEphemeral(lee, 'Link');
  const [direct] = await query('select channel_id from plancast.direct_messages where user_id = $1', [
    lee.id,
  ]);
  await fedBefore(channel.id, [item], lee, direct?.channel_id);
  await upgrade();
  await stage.bot.runChore('tidy-links');
  const told = () => slack.directMessages(lee).filter(({ text }) => text.includes(`Followed ${item}`));
  await expect.poll(told).toHaveLength(1);
  await stage.bot.runChore('tidy-links');
  await stage.checkLinks();
  expect(told()).toHaveLength(1);
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  const row = () =>
    query('select state from plancast.subscriptions where owner_user_id = $1 and item_id = $2', [
      lee.id,
      item,
    ]);
  await expect.poll(row).toEqual([{ state: 'active' }]);
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
