import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions, menuOf } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'following', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { query, chooseInMenu, press } = makeStageActions(() => stage);

const follow = (user: User, message: Message) => chooseInMenu(user, message, 'follow');

/** Makes a channel that Dana subscribed and Sam is in, with one message about a file. */
async function channelWith(file: string) {
  const { channel, uri } = await followed(stage);
  channel.members.add(stage.sam.id);
  await notify(uri, { item: file, name: `${file}.pdf`, path: `Root/Plans/${file}.pdf` });
  return { channel, uri, message: await stage.slack.waitForMessage(channel, `${file}.pdf`) };
}

test('Sam, who is not linked, follows a file in a direct message that only she reads, without a new remote subscription', async () => {
  const { slack, service, sam, dana } = stage;
  const { channel, uri, message } = await channelWith('Gate');
  const records = service.subscriptions.all().length;
  const shown = slack.messages(channel).length;
  await follow(sam, message);
  const made = await slack.waitForDirectMessage(sam, 'You now follow file');
  expect(slack.textOf(made)).toContain(`<#${channel.id}>`);
  expect(slack.textOf(made)).not.toContain('/unsubscribe');

  const id = 'c0ffee00-0000-4000-8000-000000000001';
  await notify(uri, { id, item: 'Gate', name: 'Gate 2.pdf', path: 'Root/Plans/Gate 2.pdf' });
  await notify(uri, { item: 'Fence', name: 'Fence.pdf' });
  const posted = await slack.waitForDirectMessage(sam, 'Gate 2.pdf');
  await slack.waitForMessage(channel, 'Fence.pdf');
  const rows = () =>
    query('select channel_id, state from plancast.events where notification_id = $1 order by channel_id', [
      id,
    ]);
  await expect.poll(rows).toEqual([
    { channel_id: channel.id, state: 'posted' },
    { channel_id: posted.channelId, state: 'posted' },
  ]);
  expect(service.subscriptions.all()).toHaveLength(records);
  expect(
    slack
      .messages(channel)
      .slice(shown)
      .some(({ text }) => text.includes('follow')),
  ).toBe(false);
  expect(slack.directMessages(sam).some(({ text }) => text.includes('Fence.pdf'))).toBe(false);
  expect(slack.directMessages(dana).some(({ text }) => text.includes('Gate 2.pdf'))).toBe(false);
  // The menu in the direct message must not offer to follow it there.
  expect(JSON.stringify(menuOf(posted)?.element)).not.toContain('follow:');

  await stage.type(sam, '/subscriptions to me', channel);
  const list = await slack.waitForEphemeral(sam, 'You have 1 subscription');
  expect(slack.textOf(list)).toContain('Gate');
  await follow(sam, message);
  await slack.waitForEphemeral(sam, 'You already follow it in your direct messages with me');
  await stage.bot.runChore('reconcile');
  expect(service.subscriptions.all()).toHaveLength(records);
  await press(sam, made, 'Stop following');
  await slack.waitForDirectMessage(sam, 'You no longer follow');
  await notify(uri, { item: 'Gate', name: 'Gate 3.pdf' });
  await slack.waitForMessage(channel, 'Gate 3.pdf');
  expect(slack.directMessages(sam).some(({ text }) => text.includes('Gate 3.pdf'))).toBe(false);
});

test('a file of a project that admins no longer allow cannot be followed from an older subscription', async () => {
  const { slack, sam, teamId } = stage;
  const { message } = await channelWith('Attic');
  const before = slack.directMessages(sam).length;
  await query(`insert into plancast.settings (team_id, value, changed_at) values ($1, $2, now())`, [
    teamId,
    JSON.stringify({ projects: ['538-204-917'] }),
  ]);
  await follow(sam, message);
  await slack.waitForEphemeral(sam, '412-873-550 isn’t on the list of projects');
  await query('delete from plancast.settings');
  expect(slack.directMessages(sam)).toHaveLength(before);
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Attic.pdf');
});

test('a member who leaves the channel no longer follows anything in it', async () => {
  const { slack, sam } = stage;
  const { channel, uri, message } = await channelWith('Door');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Door.pdf');
  channel.members.delete(sam.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: sam.id, team: stage.teamId });
  await slack.waitForDirectMessage(sam, 'you’re no longer in');
  await notify(uri, { item: 'Door', name: 'Door 2.pdf' });
  await slack.waitForMessage(channel, 'Door 2.pdf');
  expect(slack.directMessages(sam).some(({ text }) => text.includes('Door 2.pdf'))).toBe(false);
});

test("following ends with the channel's subscription", async () => {
  const { slack, sam, dana } = stage;
  const { channel, message } = await channelWith('Sill');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Sill.pdf');
  await stage.type(dana, '/unsubscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'removed the subscription');
  await stage.bot.runChore('sweep');
  const ended = await slack.waitForDirectMessage(
    sam,
    'Sill.pdf” in project 412-873-550 here: the subscription in',
  );
  expect(slack.textOf(ended)).toContain('You no longer follow');
});

test('a file that moves out of the folder that the channel follows is no longer followed', async () => {
  const { slack, service, sam, dana } = stage;
  const channel = slack.addChannel({ members: [dana, sam] });
  const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
  await stage.type(dana, '/subscribe folder 412-873-550 Public', channel);
  await slack.waitForMessage(channel, 'subscribed this channel');
  const uri = service.subscriptions.all().find((each) => !before.has(each.uri))?.uri ?? '';
  const inPublic = { item: 'Lamp', idPath: 'root/Public/Lamp' };
  await notify(uri, { ...inPublic, name: 'Lamp.pdf', path: 'Root/Public/Lamp.pdf' });
  await follow(sam, await slack.waitForMessage(channel, 'Lamp.pdf'));
  await slack.waitForDirectMessage(sam, 'Lamp.pdf');
  await notify(uri, { ...inPublic, eventType: 'Update', name: 'Lamp 2.pdf', path: 'Root/Public/Lamp 2.pdf' });
  await slack.waitForDirectMessage(sam, 'Lamp 2.pdf');
  const inSecret = { item: 'Lamp', idPath: 'root/Secret/Lamp', eventType: 'Update' } as const;
  await notify(uri, { ...inSecret, name: 'Layoffs.pdf', path: 'Root/Secret/Layoffs.pdf' });
  await notify(uri, { ...inSecret, name: 'Layoffs 2.pdf', path: 'Root/Secret/Layoffs 2.pdf' });
  await notify(uri, { item: 'Lid', idPath: 'root/Public/Lid', name: 'Lid.pdf', path: 'Root/Public/Lid.pdf' });
  await slack.waitForMessage(channel, 'Lid.pdf');
  const fedRows =
    'select count(*)::int as count from plancast.events where channel_id like $1 and notification_id is not null and notification::text like $2';
  expect(await query(fedRows, ['D%', '%Layoffs%'])).toEqual([{ count: 0 }]);
  expect(slack.directMessages(sam).some(({ text }) => text.includes('Layoffs'))).toBe(false);
});

test('what moves out of a folder that Sam follows is posted to her once', async () => {
  const { slack, sam } = stage;
  const { channel, uri } = await followed(stage);
  channel.members.add(sam.id);
  const folder = {
    item: 'Wing',
    name: 'Wing',
    itemType: 'Folder',
    idPath: 'root/Wing',
    path: 'Root/Wing',
  } as const;
  await notify(uri, folder);
  await follow(sam, await slack.waitForMessage(channel, 'Wing'));
  await slack.waitForDirectMessage(sam, 'You now follow folder');
  const file = { item: 'Beam', name: 'Beam.pdf' };
  await notify(uri, { ...file, idPath: 'root/Wing/Beam', path: 'Root/Wing/Beam.pdf' });
  await slack.waitForDirectMessage(sam, 'Beam.pdf');
  const remembered =
    "select id_path from plancast.items where channel_id like 'D%' and item_key like '%:Beam'";
  await expect.poll(() => query(remembered)).toEqual([{ id_path: 'root/Wing/Beam' }]);
  const outside = {
    ...file,
    idPath: 'root/Yard/Beam',
    path: 'Root/Yard/Beam.pdf',
    eventType: 'Update',
  } as const;
  await notify(uri, outside);
  await slack.waitForDirectMessage(sam, /moved.*Beam\.pdf.*Wing → Yard/s);
  await notify(uri, { ...outside, name: 'Beam 2.pdf', path: 'Root/Yard/Beam 2.pdf' });
  await slack.waitForMessage(channel, 'Beam 2.pdf');
  expect(slack.directMessages(sam).some(({ text }) => text.includes('Beam 2.pdf'))).toBe(false);
});

test('a person who follows from a channel with a paused subscription gets nothing meanwhile', async () => {
  const { slack, sam } = stage;
  const { channel, uri, message } = await channelWith('Rail');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Rail.pdf');
  await query(
    "update plancast.subscriptions set state = 'paused', reason = 'not in channel' where channel_id = $1",
    [channel.id],
  );
  await notify(uri, { item: 'Rail', name: 'Rail 2.pdf' });
  const fedRows = "select channel_id from plancast.events where notification::text like '%Rail 2.pdf%'";
  expect(await query(fedRows, [])).toEqual([{ channel_id: channel.id }]);
});

test('what a person follows is in their Home tab and lists, and each can be stopped there', async () => {
  const { slack, sam } = stage;
  const { channel, message } = await channelWith('Canopy');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Canopy.pdf');
  await stage.type(sam, '/subscriptions', channel);
  const list = await slack.waitForEphemeral(sam, 'This channel has 1 subscription');
  expect(slack.textOf(list)).toContain('You follow 1 item from this channel in a direct message');

  await slack.openHome(sam);
  const home = await slack.waitForHome(sam, 'Canopy.pdf');
  const text = slack.textOf(home);
  expect(text).toContain('Your direct messages with me');
  expect(text).toContain(`Followed from <#${channel.id}>`);
  const stop = findElements(home.blocks).find(({ element }) =>
    String(element.accessibility_label).match(/^Stop following .*Canopy\.pdf/),
  );
  if (!stop) throw new Error('there is no button to stop following');
  expect(JSON.stringify(stop.element)).not.toContain('You can undo this');
  await slack.click({ user: sam, view: home, element: stop });
  await slack.waitForDirectMessage(sam, /You no longer follow file .*Canopy\.pdf.* here/);
  await slack.waitForHome(sam, (view) => !JSON.stringify(view).includes('Canopy.pdf'));
});

test('Sam, who is not linked, changes how she gets what she follows', async () => {
  const { slack, sam } = stage;
  const { channel, message } = await channelWith('Porch');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Porch.pdf');
  await stage.type(sam, '/subscribe file 412-873-550 Porch digest hourly to me', channel);
  const changed = await slack.waitForDirectMessage(sam, 'You changed the subscription to file');
  expect(slack.textOf(changed)).toContain('hourly digest');
});

test('what the channel filters is also filtered for its followers, by its current filters', async () => {
  const { slack, sam, dana } = stage;
  const { channel, uri, message } = await channelWith('Ramp');
  await follow(sam, message);
  const made = await slack.waitForDirectMessage(sam, 'Ramp.pdf');
  await stage.type(dana, '/subscribe project 412-873-550 only deleted in "Plans/**"', channel);
  await slack.waitForMessage(channel, 'Dana Reyes changed');
  const id = 'c0ffee00-0000-4000-8000-000000000002';
  await notify(uri, { id, item: 'Ramp', name: 'Ramp 2.pdf' });
  const rows = () =>
    query('select channel_id, state, reason from plancast.events where notification_id = $1', [id]);
  const filtered = { state: 'filtered', reason: 'type' };
  await expect.poll(rows).toEqual(
    expect.arrayContaining([
      { channel_id: channel.id, ...filtered },
      { channel_id: made.channelId, ...filtered },
    ]),
  );
  await notify(uri, { eventType: 'Delete', item: 'Ramp', name: 'Ramp.pdf', path: 'Root/Plans/Ramp.pdf' });
  await slack.waitForDirectMessage(sam, ({ text }) => text.includes('deleted') && text.includes('Ramp'));
  expect(slack.directMessages(sam).some(({ text }) => text.includes('Ramp 2.pdf'))).toBe(false);
});

test('all of 45 followers are checked within three rounds, and one who left without an event is found', async () => {
  const { slack, sam, teamId } = stage;
  const { channel, message } = await channelWith('Mast');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Mast.pdf');
  const others = Array.from({ length: 44 }, (_, index) =>
    slack.addUser({ teamId, name: `Follower ${index}` }),
  );
  for (const { id } of others) channel.members.add(id);
  await query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, item_id, comprehensive, filters, delivery,
       threads, callback_token_hash, callback_base, fed_by, state, created_at, changed_at)
     select s.team_id, 'D' || u, u, s.kind, s.parent_id, s.item_id, s.comprehensive, s.filters, s.delivery, s.threads,
       sha256(u::bytea), s.callback_base, s.fed_by, s.state, s.created_at, s.changed_at
     from plancast.subscriptions s, unnest($1::text[]) u where s.owner_user_id = $2 and s.item_id = 'Mast'`,
    [others.map(({ id }) => id), sam.id],
  );
  const leaver = others[30];
  channel.members.delete(leaver?.id ?? '');
  const ended = () =>
    query(
      `select owner_user_id, reason from plancast.subscriptions where item_id = 'Mast' and state = 'ended'`,
    );
  for (let round = 0; round < 3; round += 1) await stage.bot.runChore('sweep');
  expect(await ended()).toEqual([{ owner_user_id: leaver?.id, reason: 'left channel' }]);
  const [{ unseen }] = await query(
    `select count(*)::int as unseen from plancast.subscriptions
     where item_id = 'Mast' and looked_at is null and state <> 'ended'`,
  );
  expect(unseen).toBe(0);
});

test('a person who becomes a guest or is deactivated no longer follows anything', async () => {
  const { slack, teamId } = stage;
  const { channel, message } = await channelWith('Vent');
  const tess = slack.addUser({ teamId, name: 'Tess Temp' });
  channel.members.add(tess.id);
  await follow(tess, message);
  await slack.waitForDirectMessage(tess, 'Vent.pdf');
  tess.isRestricted = true;
  // Profiles from Slack are cached for ten minutes, and what decides about rights for five seconds, in the database.
  await query(`delete from plancast.keyv where key like 'profiles:%' or key like 'current:%'`);
  await query(
    `update plancast.subscriptions set looked_at = looked_at - interval '7 hours' where item_id = 'Vent'`,
  );
  await stage.bot.runChore('sweep');
  const ended = await slack.waitForDirectMessage(tess, 'You no longer follow');
  expect(slack.textOf(ended)).toContain('only full members of this workspace can do that');
});

test('a person who left a private channel while the bot was out of it gets nothing more, even while Slack doesn’t say who is in it', async () => {
  const { slack, service, sam, dana, plans, workspace } = stage;
  const channel = slack.addChannel({ name: 'board', kind: 'private', members: [dana, sam] });
  const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
  await stage.type(dana, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'subscribed this channel');
  const uri = service.subscriptions.all().find((each) => !before.has(each.uri))?.uri ?? '';
  await notify(uri, { item: 'Plot', name: 'Plot.pdf' });
  await follow(sam, await slack.waitForMessage(channel, 'Plot.pdf'));
  await slack.waitForDirectMessage(sam, 'Plot.pdf');
  const toSam = () => slack.directMessages(sam).filter(({ text }) => /Offer|Award|Third/.test(text));

  // Slack reports who leaves only to apps that are in the channel.
  await slack.removeBot(channel, dana);
  channel.members.delete(sam.id);
  // That she is in it is cached for ten seconds, in the database.
  await query(`delete from plancast.keyv where key like 'in-channel:%'`);
  const silent = slack.fault({
    method: 'conversations.members',
    channel: channel.id,
    error: 'fatal_error',
    times: Infinity,
  });
  await slack.inviteBot(channel, dana);
  await notify(uri, { item: 'Plot', name: 'Offer.pdf' });
  await slack.waitForMessage(channel, 'Offer.pdf');
  await stage.bot.runChore('sweep');
  expect(silent.hits()).toBeGreaterThan(0);
  await notify(uri, { item: 'Plot', name: 'Award.pdf' });
  await slack.waitForMessage(channel, 'Award.pdf');
  await stage.bot.runChore('sweep');
  slack.clearFaults();
  await stage.bot.runChore('sweep');
  await slack.waitForDirectMessage(sam, 'you’re no longer in');
  await notify(uri, { item: 'Plot', name: 'Third.pdf' });
  await slack.waitForMessage(channel, 'Third.pdf');
  expect(await query('select * from plancast.to_pass_on')).toEqual([]);
  expect(toSam()).toEqual([]);
  expect(plans.members.has(workspace.botUserId)).toBe(true);
});

test('a person who is still in the channel when the bot comes back follows on', async () => {
  const { slack, sam, dana } = stage;
  const { channel, uri, message } = await channelWith('Mole');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Mole.pdf');
  await slack.removeBot(channel, dana);
  await slack.inviteBot(channel, dana);
  await stage.bot.runChore('sweep');
  await notify(uri, { item: 'Mole', name: 'Mole 2.pdf' });
  await slack.waitForDirectMessage(sam, 'Mole 2.pdf');
});

test('the service is answered before anything is done for people who follow items, however many there are', async () => {
  const { slack, sam } = stage;
  const { channel, uri, message } = await channelWith('Dune');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Dune.pdf');
  const holder = await stage.database.connect().pool.connect();
  await holder.query('begin; lock table plancast.items in access exclusive mode');
  const id = 'c0ffee00-0000-4000-8000-000000000003';
  expect(await notify(uri, { id, item: 'Dune', name: 'Dune 2.pdf' })).toBe(200);
  expect(await query('select channel_id from plancast.events where notification_id = $1', [id])).toEqual([
    { channel_id: channel.id },
  ]);
  await holder.query('commit');
  holder.release();
  await slack.waitForDirectMessage(sam, 'Dune 2.pdf');
});

test('an event whose followers could not be looked up when it arrived reaches them within a minute', async () => {
  const { slack, sam } = stage;
  const { uri, message } = await channelWith('Reef');
  await follow(sam, message);
  await slack.waitForDirectMessage(sam, 'Reef.pdf');
  const id = 'c0ffee00-0000-4000-8000-000000000004';
  const holder = await stage.database.connect().pool.connect();
  await holder.query('begin; lock table plancast.items in access exclusive mode');
  expect(await notify(uri, { id, item: 'Reef', name: 'Reef 2.pdf' })).toBe(200);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%to_pass_on%'`;
  await expect.poll(async () => (await holder.query(end)).rowCount).toBeGreaterThan(0);
  await holder.query('commit');
  holder.release();
  expect(await query('select count(*)::int as waiting from plancast.to_pass_on')).toEqual([{ waiting: 1 }]);
  await stage.bot.runChore('sweep');
  await slack.waitForDirectMessage(sam, 'Reef 2.pdf');
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
