import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { makeChannelActions } from '../support/channel-actions.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';
import { installedEnv, makeTenants, type Tenant } from '../support/tenants.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'shared channel', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { press, chooseInMenu } = makeStageActions(() => stage);
const { followed, textsOf } = makeChannelActions(() => stage);

/** Returns everything that people in the channel can read in its messages. */
const shownIn = (channel: Channel, from = 0) =>
  JSON.stringify(
    stage.slack
      .messages(channel)
      .slice(from)
      .map(({ text, blocks }) => [text, blocks]),
  );

/** Sets a stage, for one test, with two workspaces of an organization that share one installation. */
async function setOrganization(name: string) {
  const grid = await setStage({ name, skipsPauses: true, env: installedEnv });
  onTestFinished(() => grid.close());
  const org = { enterpriseId: 'E0NORTHWIND', isEnterpriseInstall: true, botToken: 'xoxb-northwind' };
  const { tenant, follow } = makeTenants(() => grid);
  const [east, west] = [tenant('East', org), tenant('West', org)];
  await east.install();
  const shareChannel = (...members: User[]) =>
    grid.slack.addChannel({ teamIds: [east.teamId, west.teamId], isOrgShared: true, members });
  return { grid, org, east, west, follow, shareChannel };
}

const stranger = 'contractor@other-firm.example';
/** What is shown of the address when nothing is shortened. */
const nameOfStranger = stranger.split('@')[0] ?? '';

test('a channel becomes shared: that is announced once, and addresses and paths of strangers stay hidden until a member shows everything', async () => {
  const { slack, dana, guest } = stage;
  const { channel, notify } = await followed();
  await notify('Before.pdf', { user: stranger, path: 'Root/Tower/Level 1/Before.pdf' });
  await slack.waitForMessage(channel, nameOfStranger);
  const shown = textsOf(channel).length;

  const event = await slack.shareChannel(channel);
  const notice = await slack.waitForMessage(channel, 'shared with another organization');
  await event.replay(1);
  await notify('Masked.pdf', { user: stranger, path: 'Root/Tower/Level 1/Masked.pdf' });
  await notify('Known.pdf', { user: 'sam@example.com', path: 'Root/Tower/Level 2/Known.pdf' });
  await slack.waitForMessage(channel, 'Known.pdf');
  const after = textsOf(channel).slice(shown);
  expect(after.filter((text) => text.includes('shared with another'))).toHaveLength(1);
  const since = shownIn(channel, shown);
  expect(since).toMatch(/Someone\*? added .{1,4}Masked\.pdf.{1,3} to Level 1/);
  expect(since).toContain('Sam Okafor');
  expect(since).not.toContain(stranger);
  expect(since).not.toContain('Tower › Level');

  // A guest cannot turn that off; Dana can.
  await press(guest, notice, 'Show everything');
  await slack.waitForEphemeral(guest, ({ text }) => /guest/i.test(text));
  await press(dana, notice, 'Show everything');
  const allowed = await slack.waitForMessage(channel, 'allowed full names and folder paths');
  expect(allowed.text).toContain('Dana Reyes');
  await notify('Open.pdf', { user: stranger, path: 'Root/Tower/Level 3/Open.pdf' });
  const open = await slack.waitForMessage(channel, 'Open.pdf');
  expect(open.text).toContain(nameOfStranger);
  expect(open.text).toContain('Tower › Level 3');

  await press(dana, allowed, 'Shorten again');
  await slack.waitForMessage(channel, 'shortened names and folder paths');
  await notify('Again.pdf', { user: stranger, path: 'Root/Tower/Level 4/Again.pdf' });
  expect((await slack.waitForMessage(channel, 'Again.pdf')).text).not.toContain(stranger);

  await slack.unshareChannel(channel);
  await notify('Ours.pdf', { user: stranger, path: 'Root/Tower/Level 5/Ours.pdf' });
  expect((await slack.waitForMessage(channel, 'Ours.pdf')).text).toContain(nameOfStranger);
  // A late retry of the earlier share event changes nothing.
  await event.replay(2);
  await notify('Late retry.pdf', { user: stranger });
  expect((await slack.waitForMessage(channel, 'Late retry.pdf')).text).toContain(nameOfStranger);
});

test('what was muted before the channel became shared is listed without its parent folders', async () => {
  const { slack, dana } = stage;
  const { channel, notify } = await followed();
  await notify('Muted.pdf', { path: 'Root/Tower/Level 1/Muted.pdf' });
  const message = await slack.waitForMessage(channel, 'Muted.pdf');
  await chooseInMenu(dana, message, 'mute');
  await slack.waitForMessage(channel, 'muted');
  await stage.type(dana, '/subscriptions', channel);
  const before = await slack.waitForEphemeral(dana, 'Not shown in this channel');
  expect(slack.textOf(before)).toContain('Tower › Level 1');
  await slack.shareChannel(channel);
  await slack.waitForMessage(channel, 'shared with another organization');
  const known = new Set(slack.ephemerals(dana).map(({ id }) => id));
  await stage.type(dana, '/subscriptions', channel);
  const after = await slack.waitForEphemeral(
    dana,
    (list) => !known.has(list.id) && slack.textOf(list).includes('Not shown in this channel'),
  );
  expect(slack.textOf(after)).toContain('in Level 1');
  expect(slack.textOf(after)).not.toContain('Tower');
});

test('a channel that was shared before this release, or whose event was lost, is found by the next check and announced once', async () => {
  const { slack } = stage;
  const { channel, notify } = await followed();
  channel.isExtShared = true;
  stage.advance(25 * 3_600_000);
  for (let n = 0; n < 3; n += 1) await stage.bot.runChore('sweep');
  await slack.waitForMessage(channel, 'shared with another organization');
  await notify('Looked.pdf', { user: stranger });
  expect((await slack.waitForMessage(channel, 'Looked.pdf')).text).not.toContain(stranger);
  expect(textsOf(channel).filter((text) => text.includes('shared with another'))).toHaveLength(1);
});

test('a channel is shared while Slack answers a check: what Slack said before does not count', async () => {
  const { slack } = stage;
  const { channel, notify } = await followed();
  stage.advance(25 * 3_600_000);
  const before = { id: channel.id, is_channel: true, is_private: false, is_ext_shared: false };
  const late = slack.fault({
    method: 'conversations.info',
    channel: channel.id,
    delayMs: 600,
    body: { text: JSON.stringify({ ok: true, channel: before }) },
  });
  const sweeps = (async () => {
    for (let n = 0; n < 3; n += 1) await stage.bot.runChore('sweep');
  })();
  await expect.poll(() => late.hits(), { interval: 10 }).toBe(1);
  stage.advance(1_000);
  await slack.shareChannel(channel);
  await slack.waitForMessage(channel, 'shared with another organization');
  await sweeps;

  await notify('Answered late.pdf', { user: stranger });
  expect((await slack.waitForMessage(channel, 'Answered late.pdf')).text).not.toContain(nameOfStranger);
});

test('Slack answers a check without describing the shared channel: names stay shortened', async () => {
  const { slack } = stage;
  const { channel, notify } = await followed();
  await slack.shareChannel(channel);
  await slack.waitForMessage(channel, 'shared with another organization');
  const fault = slack.fault({
    method: 'conversations.info',
    channel: channel.id,
    times: Number.POSITIVE_INFINITY,
    body: { text: '{"ok":true}' },
  });
  stage.advance(25 * 3_600_000);
  for (let n = 0; n < 3; n += 1) await stage.bot.runChore('sweep');
  expect(fault.hits()).toBeGreaterThan(0);
  fault.clear();
  await notify('Undescribed.pdf', { user: stranger });
  expect((await slack.waitForMessage(channel, 'Undescribed.pdf')).text).not.toContain(nameOfStranger);
});

test('a shared channel is found although Slack says nothing about 40 other channels', async () => {
  const { slack } = stage;
  const { channel } = await followed();
  const unreadable = Array.from({ length: 40 }, () => slack.addChannel({ kind: 'private', botIn: false }));
  await stage.database.connect().pool.query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
       state, created_at, changed_at)
     select s.team_id, c, s.owner_user_id, s.kind, s.parent_id, s.comprehensive, s.filters, s.delivery, s.threads,
       s.state, s.created_at, s.changed_at
     from plancast.subscriptions s, unnest($1::text[]) c where s.channel_id = $2`,
    [unreadable.map(({ id }) => id), channel.id],
  );
  channel.isExtShared = true;
  stage.advance(25 * 3_600_000);

  for (let round = 0; round < 3; round += 1) await stage.bot.runChore('sweep');

  await slack.waitForMessage(channel, 'shared with another organization');
});

test('a channel of several workspaces in one organization does not count as shared: nothing is shortened', async () => {
  const grid = await setStage({
    name: 'grid channel',
    skipsPauses: true,
    workspace: { enterpriseId: 'E0NORTHWIND' },
  });
  try {
    await grid.link(grid.dana, 'dana@example.com');
    const actions = makeChannelActions(() => grid);
    const { channel, notify } = await actions.followed();
    const inside = grid.slack.addWorkspace({ name: 'Northwind Labs', enterpriseId: 'E0NORTHWIND' });
    await grid.slack.shareChannel(channel, inside.teamId);
    await notify('Within.pdf', { user: stranger, path: 'Root/Tower/Level 1/Within.pdf' });
    expect((await grid.slack.waitForMessage(channel, 'Within.pdf')).text).toContain(nameOfStranger);

    await grid.slack.shareChannel(channel);
    await grid.slack.waitForMessage(channel, 'shared with another organization');
  } finally {
    await grid.close();
  }
});

test('a channel that two workspaces of one organization share is one channel, whoever acts in it', async () => {
  const { grid, east, west, follow, shareChannel } = await setOrganization('one channel');
  const { slack, service } = grid;
  const { notify } = makeChannelActions(() => grid);
  const channel = shareChannel(east.dana, west.sam);
  await grid.link(east.dana, 'dana@example.com', east.channel);
  await grid.link(west.sam, 'sam@example.com', west.channel);
  await grid.type(east.dana, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'to this channel');
  await grid.type(west.sam, '/subscribe project 412-873-550 only added', channel);
  await slack.waitForMessage(channel, 'changed the subscription');
  expect(service.subscriptions.all()).toHaveLength(1);

  // A person of the other workspace imports it.
  await grid.type(west.sam, '/plancast import', west.channel);
  const form = await slack.waitForView(west.sam, 'Paste a block from');
  const values = { import_text: `${channel.id}\n/subscribe project 412-873-550 only deleted` };
  await slack.submitView({ user: west.sam, viewId: form, values });
  const checked = await slack.waitForView(west.sam, 'Changes 1 subscription.');
  await slack.submitView({ user: west.sam, viewId: checked, values });
  await slack.waitForEphemeral(west.sam, 'Imported 1 subscription.');
  expect(service.subscriptions.all()).toHaveLength(1);

  await grid.type(west.sam, '/subscriptions', channel);
  const list = await slack.waitForEphemeral(west.sam, 'This channel has 1 subscription');
  await slack.click({ user: west.sam, message: list, element: slack.button(list, 'Pause') });
  await slack.waitForMessage(channel, 'paused');

  // Home in either workspace lists it, with what is muted there, for whoever subscribed it.
  const uri = await follow(west.sam, channel, 'session 731-450-286');
  await notify(uri, 'Muted.pdf');
  const message = await slack.waitForMessage(channel, 'Muted.pdf');
  await makeStageActions(() => grid).chooseInMenu(west.sam, message, 'mute');
  await slack.waitForMessage(channel, 'muted');
  await slack.openHome(west.sam);
  const home = await slack.waitForHome(west.sam, 'You have 1 subscription');
  expect(slack.textOf({ ...home, text: '' })).toContain(`<#${channel.id}>`);
  expect(slack.textOf({ ...home, text: '' })).toContain('Not shown in these channels');
  await slack.click({ user: west.sam, view: home, element: slack.button(home, 'Pause') });
  await slack.waitForMessage(channel, 'paused the subscription to session');
  const paused = await slack.waitForHome(west.sam, 'Resume');
  await slack.click({ user: west.sam, view: paused, element: slack.button(paused, 'Show again') });
  await slack.waitForMessage(channel, 'unmuted');

  // A forged press on a subscription of a channel that only the other workspace has.
  await grid.type(east.dana, '/subscribe project 538-204-917', east.channel);
  await slack.waitForMessage(east.channel, 'to this channel');
  const { rows } = await grid.database
    .connect()
    .pool.query('select id from plancast.subscriptions where channel_id = $1', [east.channel.id]);
  const resume = slack.button(home, 'Resume');
  const value = JSON.stringify({ act: 'resume', id: rows[0].id });
  const forged = { ...resume, element: { ...resume.element, value } };
  await slack.click({ user: west.sam, view: home, element: forged });
  await slack.waitForView(west.sam, 'Only people in the channel can do that');
});

test('a channel is shared by two workspaces of an organization: people of the other one export it, and catch up on it', async () => {
  const { grid, east, west, follow, shareChannel } = await setOrganization('both look');
  const { slack } = grid;
  const { notify } = makeChannelActions(() => grid);
  const channel = shareChannel(east.dana, west.sam);
  channel.name = 'both-plans';
  await grid.link(east.dana, 'dana@example.com', east.channel);
  const uri = await follow(east.dana, channel, 'project 412-873-550');
  await notify(uri, 'Looked at.pdf');
  await slack.waitForMessage(channel, 'Looked at.pdf');

  await grid.type(west.sam, '/plancast export', west.channel);
  const exported = await slack.waitForEphemeral(west.sam, 'as lines for');
  await slack.openHome(west.sam);
  const home = await slack.waitForHome(west.sam, 'Catch me up');
  await slack.click({ user: west.sam, view: home, element: slack.button(home, 'Catch me up') });
  const list = await slack.waitForView(west.sam, /No changes|changes in/);

  expect(slack.textOf(exported)).toContain('#both-plans\n/subscribe project 412-873-550 live');
  expect(slack.textOf(list)).toContain(channel.id);
});

test('the bot was removed from a channel, and another workspace of the organization subscribes it: it asks for an invitation', async () => {
  const { grid, east, west, follow, shareChannel } = await setOrganization('removed elsewhere');
  const { slack } = grid;
  const channel = shareChannel(east.dana, west.sam);
  await grid.link(east.dana, 'dana@example.com', east.channel);
  await grid.link(west.sam, 'sam@example.com', west.channel);
  await follow(east.dana, channel, 'project 412-873-550');
  await slack.removeBot(channel, east.dana);
  await grid.type(east.dana, '/unsubscribe project 412-873-550', channel);
  const { pool } = grid.database.connect();
  const live = `select from plancast.subscriptions where state <> 'ended'`;
  await expect.poll(async () => (await pool.query(live)).rows).toEqual([]);
  const shown = slack.messages(channel).length;

  await grid.type(west.sam, '/subscribe project 412-873-550', channel);

  await slack.waitForEphemeral(west.sam, '/invite');
  expect(slack.messages(channel)).toHaveLength(shown);
});

test("an admin who asks for settings or an export in a channel shared with another workspace gets their own workspace's", async () => {
  const { grid, org, east, west, follow, shareChannel } = await setOrganization('own settings');
  const { slack } = grid;
  const channel = shareChannel(east.dana, west.dana);
  await grid.link(east.dana, 'dana@example.com', east.channel);
  await follow(east.dana, channel, 'project 412-873-550');
  await follow(east.dana, east.channel, 'session 731-450-286');
  const { pool } = grid.database.connect();
  const settingsOf = async ({ teamId }: Tenant) =>
    (await pool.query('select value from plancast.settings where team_id = $1', [teamId])).rows;
  const eastern = { projects: ['412-873-550'] };
  await pool.query('insert into plancast.settings (enterprise_id, team_id, value) values ($1, $2, $3)', [
    org.enterpriseId,
    east.teamId,
    JSON.stringify(eastern),
  ]);

  await grid.type(west.dana, '/plancast settings', channel);
  const form = await slack.waitForView(west.dana, 'Who can change what I post?');
  expect(held(form, 'settings_projects')).toBeFalsy();
  await slack.submitView({ user: west.dana });
  await expect.poll(() => settingsOf(west)).toMatchObject([{ value: { projects: [] } }]);
  expect(await settingsOf(east)).toEqual([{ value: eastern }]);

  await grid.type(west.dana, '/plancast export', channel);
  const exported = await slack.waitForEphemeral(west.dana, ({ text }) => !text.includes('Saved'));
  expect(slack.textOf(exported)).not.toContain(east.channel.id);
});

test('an admin removes the data of a channel that another workspace subscribed: they read whose it is, and it keeps posting', async () => {
  const { grid, east, west, follow, shareChannel } = await setOrganization('data elsewhere');
  const { slack } = grid;
  const { notify } = makeChannelActions(() => grid);
  const channel = shareChannel(east.dana, west.dana);
  await grid.link(west.dana, 'dana@example.com', west.channel);
  const uri = await follow(west.dana, channel, 'project 412-873-550');

  await slack.openHome(east.dana);
  const home = await slack.waitForHome(east.dana, 'This workspace');
  await slack.click({ user: east.dana, view: home, element: slack.button(home, 'Remove data') });
  await slack.submitView({
    user: east.dana,
    viewId: await slack.waitForView(east.dana, 'Whose data?'),
    values: { remove_data_of: 'channel', remove_data_channel: channel.id },
  });
  const answer = await slack.waitForDirectMessage(east.dana, 'Removed');
  expect(answer.text).toContain('belong to another workspace of your organization');
  await notify(uri, 'Still posted.pdf');
  await slack.waitForMessage(channel, 'Still posted.pdf');
});

test('an admin removes the data of somebody who linked in another workspace and follows nothing yet: their link stays', async () => {
  const { grid, east, west } = await setOrganization('person elsewhere');
  const { slack } = grid;
  await grid.link(west.sam, 'sam@example.com', west.channel);
  await slack.openHome(east.dana);
  const home = await slack.waitForHome(east.dana, 'This workspace');
  await slack.click({ user: east.dana, view: home, element: slack.button(home, 'Remove data') });
  await slack.submitView({
    user: east.dana,
    viewId: await slack.waitForView(east.dana, 'Whose data?'),
    values: { remove_data_of: 'person', remove_data_person: west.sam.id },
  });
  await slack.waitForDirectMessage(east.dana, 'Removed');
  await grid.type(west.sam, '/plancast status', west.channel);
  await slack.waitForEphemeral(west.sam, /sam@example\.com/);
});

test('Slack objected to nothing of this', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});

test('an admin’s list and audit show no name that is followed only in a channel shared with another organization', async () => {
  const { slack, teamId, dana, plans } = stage;
  const ada = slack.addUser({ teamId, name: 'Ada Admin', isAdmin: true });
  plans.members.add(ada.id);
  const channel = slack.addChannel({ name: 'joint', members: [dana, ada] });
  await stage.type(dana, '/subscribe project 538-204-917 as "Riverside School"', channel);
  await slack.waitForMessage(channel, 'Riverside School');
  const press = async (label: string, shown: string) => {
    await slack.openHome(ada);
    const home = await slack.waitForHome(ada, label);
    await slack.click({ user: ada, view: home, element: slack.button(home, label) });
    return slack.textOf(await slack.waitForHome(ada, shown));
  };
  const all = () => press('All subscriptions', 'Subscriptions in this workspace');
  const audit = () => press('Audit log', 'subscribed');
  expect(await all()).toContain('Riverside School');
  expect(await audit()).toContain('Riverside School');

  await slack.shareChannel(channel);
  await slack.waitForMessage(channel, 'shared with another organization');
  expect(await all()).toMatch(/^(?!.*Riverside).*538-204-917/s);
  expect(await audit()).toMatch(/^(?!.*Riverside).*538-204-917/s);
});
