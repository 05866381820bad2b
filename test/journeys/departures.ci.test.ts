import { afterAll, beforeAll, expect, test } from 'vitest';
import { notify } from '../support/notify.ts';
import { recordOf } from '../support/remote-rows.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { installedEnv, makeTenants, type Tenant } from '../support/tenants.ts';

const minuteMs = 60_000;
const tower = 'project 412-873-550';
const review = 'session 731-450-286';

let stage: Stage;
const logged: string[] = [];
beforeAll(async () => {
  stage = await setStage({
    name: 'departures',
    env: installedEnv,
    rateLimit: 'off',
    skipsPauses: true,
    sleep: async () => undefined,
    onLog: (line) => logged.push(line),
  });
  // Also what pg-boss stores names nobody.
  await stage.bot.startRest();
});
afterAll(() => stage.close());

const { tenant, follow, rowsNaming } = makeTenants(() => stage);

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await stage.database.connect().pool.query<Row>(text, values)).rows;
const linksOf = ({ teamId }: Tenant) => query('select id from plancast.links where team_id = $1', [teamId]);
const liveOf = ({ teamId }: Tenant) =>
  query(`select id from plancast.subscriptions where team_id = $1 and state <> 'ended'`, [teamId]);
const installationOf = (id: string) =>
  query('select key from plancast.keyv where key = $1', [`sealed.installations:${id}`]);
const isAtService = (uri: string) => stage.service.subscriptions.all().some((record) => record.uri === uri);
const runDepartures = () => stage.bot.runChore('departures');

/** Lets minutes pass, with the chore that runs each minute. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    stage.advance(minuteMs);
    await runDepartures();
  }
}

/** Lets hours pass, with the chore that looks for uninstalls that Slack did not report. */
async function hours(count: number): Promise<void> {
  for (let hour = 0; hour < count; hour += 1) {
    stage.advance(60 * minuteMs);
    await stage.bot.runChore('find-lost-uninstalls');
  }
}

async function linked(made: Tenant): Promise<Tenant> {
  await stage.link(made.dana, 'dana@example.com', made.channel);
  return made;
}

async function installed(name: string): Promise<Tenant> {
  const made = tenant(name);
  await made.install();
  return linked(made);
}

/** Makes the service refuse to delete remote subscriptions until the fault is removed. */
const keepRecords = () => stage.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });

async function postsFrom(uri: string, { channel }: Tenant, name: string): Promise<void> {
  await notify(uri, { item: name, name });
  await stage.slack.waitForMessage(channel, name);
}

test('S79: Slack sends both events of an uninstall at once: all eight remote subscriptions are removed, also those of a person who left, and nothing else is', async () => {
  const leaving = await installed('Twice');
  const staying = await installed('Beside');
  await stage.link(leaving.sam, 'sam@example.com', leaving.channel);
  const other = await follow(staying.dana, staying.channel, tower);
  const records: string[] = [];
  for (const who of [leaving.dana, leaving.sam]) {
    for (const place of ['one', 'two']) {
      const channel = leaving.newChannel(`${who.id}-${place}`.toLowerCase());
      for (const target of [tower, review]) records.push(await follow(who, channel, target));
    }
  }
  expect(records.filter(isAtService)).toHaveLength(8);
  await query(`update plancast.links set state = 'frozen' where user_id = $1`, [leaving.sam.id]);
  // Slow enough for the second event to arrive during the first one's work.
  const slow = stage.service.faults.set({ endpoint: 'delete', kind: 'delay', ms: 60 });

  const sent = await stage.slack.uninstall(leaving.teamId, { together: true });
  await runDepartures();
  slow.remove();

  expect(sent.map(({ status }) => status)).toEqual([200, 200]);
  expect(records.filter(isAtService)).toEqual([]);
  expect(await linksOf(leaving)).toEqual([]);
  expect(await installationOf(leaving.teamId)).toEqual([]);
  await postsFrom(other, staying, 'Beside.pdf');
});

test('S80: Slack resends an uninstall after the workspace has installed the bot again: nothing changes', async () => {
  const made = await installed('Late');
  await follow(made.dana, made.channel, tower);
  const sent = await stage.slack.uninstall(made.teamId, { first: 'app_uninstalled' });
  await runDepartures();
  await made.install();
  await linked(made);
  const uri = await follow(made.dana, made.newChannel('late-again'), review);

  for (const event of sent) expect((await event.replay(3)).status).toBe(200);
  await pass(6);

  expect(await liveOf(made)).toHaveLength(1);
  expect(await linksOf(made)).toHaveLength(1);
  expect(isAtService(uri)).toBe(true);
});

test('S80: an old uninstall does not affect a newer installation, even while Slack is down', async () => {
  const made = await installed('Younger');
  await follow(made.dana, made.channel, tower);
  const away = stage.slack.fault({
    error: 'account_inactive',
    team: made.teamId,
    times: Number.POSITIVE_INFINITY,
  });
  const anHourAgo = Math.floor(stage.now().getTime() / 1_000) - 3_600;

  await stage.slack.event(
    { type: 'app_uninstalled' },
    { teamId: made.teamId, overrides: { event_time: anHourAgo } },
  );
  await pass(6);
  away.clear();

  expect(await liveOf(made)).toHaveLength(1);
  expect(await linksOf(made)).toHaveLength(1);
});

test('S80: Slack reports an uninstall of a workspace whose token still works: nothing changes', async () => {
  const made = await installed('Rumor');
  const uri = await follow(made.dana, made.channel, tower);
  stage.advance(minuteMs);

  await stage.slack.event({ type: 'app_uninstalled' }, { teamId: made.teamId });
  await pass(6);

  expect(await linksOf(made)).toHaveLength(1);
  await postsFrom(uri, made, 'Rumor.pdf');
});

test('Slack still accepts the token for a while after it reported the uninstall: the workspace is removed as soon as it no longer does', async () => {
  const made = await installed('Lingering');
  const uri = await follow(made.dana, made.channel, tower);
  const report = () => stage.slack.event({ type: 'app_uninstalled' }, { teamId: made.teamId });

  await report();
  await pass(6);
  expect(await liveOf(made)).toHaveLength(1);
  made.workspace.tokenRefusal = 'account_inactive';
  await pass(1);

  expect(isAtService(uri)).toBe(false);
  expect(await linksOf(made)).toEqual([]);
  expect(await liveOf(made)).toEqual([]);
});

test('Slack contradicts an uninstall once and then cannot be asked: nothing is removed', async () => {
  const made = await installed('Contradicted');
  await follow(made.dana, made.channel, tower);
  await stage.slack.event({ type: 'app_uninstalled' }, { teamId: made.teamId });
  await pass(1);
  const away = stage.slack.fault({
    error: 'internal_error',
    team: made.teamId,
    times: Number.POSITIVE_INFINITY,
  });
  await pass(15);
  expect(await liveOf(made)).toHaveLength(1);
  expect(await linksOf(made)).toHaveLength(1);
  away.clear();
  await pass(1);
  expect(await query('select id from plancast.departures where id = $1', [made.teamId])).toEqual([]);
});

test('S80: a workspace installs the bot again during an uninstall: new subscriptions stay', async () => {
  const made = await installed('Middle');
  const before = await follow(made.dana, made.channel, tower);
  const kept = keepRecords();
  await stage.slack.uninstall(made.teamId);
  await runDepartures();
  expect(isAtService(before)).toBe(true);

  stage.advance(2 * minuteMs);
  await made.install();
  const uri = await follow(made.dana, made.newChannel('middle-again'), review);
  kept.remove();
  await pass(6);
  await stage.bot.runChore('sweep');

  expect(isAtService(before)).toBe(false);
  expect(isAtService(uri)).toBe(true);
  expect(await liveOf(made)).toHaveLength(1);
  expect(await linksOf(made)).toHaveLength(1);
  expect(await installationOf(made.teamId)).toHaveLength(1);
});

test('the service refuses to delete: the tokens are deleted within five minutes, and the log names the remote subscriptions that remain', async () => {
  const made = await installed('Stuck');
  await follow(made.dana, made.channel, tower);
  const [row] = await query<{ id: string; record: string }>(
    `select id, ${recordOf} as record from plancast.subscriptions s where team_id = $1`,
    [made.teamId],
  );
  const kept = keepRecords();
  await stage.slack.uninstall(made.teamId);
  await pass(3);
  expect(await linksOf(made)).toHaveLength(1);
  const uninstalls = () =>
    logged
      .map((line) => JSON.parse(line))
      .filter(({ msg, team }) => msg === 'uninstalled' && team === made.teamId);
  // An operator must not wait for the service to read that a workspace has left.
  expect(uninstalls()).toEqual([expect.objectContaining({ level: 'info' })]);

  await pass(2);
  kept.remove();
  expect(uninstalls()).toHaveLength(1);

  expect(await linksOf(made)).toEqual([]);
  expect(await installationOf(made.teamId)).toEqual([]);
  const lines = logged.filter((line) => line.includes('a remote subscription stays at the service'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      team: made.teamId,
      channel: made.channel.id,
      person: made.dana.id,
      subscription: row?.id,
      record: row?.record,
    },
  ]);
});

test('the service keeps each call waiting during an uninstall: once the minutes are over, nothing more is asked, and the tokens are deleted', async () => {
  const made = await installed('Waiting');
  await follow(made.dana, made.channel, tower);
  await follow(made.dana, made.channel, review);
  const fault = stage.service.faults.set({ endpoint: 'delete', kind: 'delay', ms: 300 });
  await stage.slack.uninstall(made.teamId);
  await expect.poll(() => fault.hits()).toBe(1);
  stage.advance(4 * minuteMs);
  await expect.poll(() => linksOf(made)).toEqual([]);
  fault.remove();
  expect(fault.hits()).toBe(1);
});

test('S88: an organization removes the bot, and Slack names one of its workspaces: both leave, and a third with its own installation stays', async () => {
  const org = { enterpriseId: 'E0MERIDIAN', isEnterpriseInstall: true, botToken: 'xoxb-meridian' };
  const [one, two] = [tenant('East', org), tenant('West', org)];
  const own = tenant('Own', { enterpriseId: org.enterpriseId });
  await one.install();
  await own.install();
  await linked(one);
  await stage.link(two.sam, 'sam@example.com', two.channel);
  await linked(own);
  two.channel.members.add(one.dana.id);
  const records = [
    await follow(one.dana, one.channel, tower),
    await follow(two.sam, two.channel, tower),
    // Linked in the east, subscribed in the west.
    await follow(one.dana, two.channel, review),
  ];
  const stays = await follow(own.dana, own.channel, tower);

  await stage.slack.uninstall(two.teamId, { together: true });
  await runDepartures();

  expect(records.filter(isAtService)).toEqual([]);
  for (const left of [one, two]) {
    expect(await liveOf(left)).toEqual([]);
    expect(await linksOf(left)).toEqual([]);
  }
  expect(await installationOf(org.enterpriseId)).toEqual([]);
  await postsFrom(stays, own, 'Own.pdf');
});

test('a workspace uninstalls the bot that it had installed itself, and its organization has the bot elsewhere only: everything of the workspace is removed', async () => {
  const org = { enterpriseId: 'E0SOLSTICE', isEnterpriseInstall: true, botToken: 'xoxb-solstice' };
  const [one, own] = [tenant('Dawn', org), tenant('Dusk', { enterpriseId: org.enterpriseId })];
  await one.install();
  await own.install();
  await linked(one);
  await linked(own);
  const stays = await follow(one.dana, one.channel, tower);
  const gone = await follow(own.dana, own.channel, tower);

  await stage.slack.uninstall(own.teamId, { together: true });
  await pass(6);

  expect(isAtService(gone)).toBe(false);
  expect(await liveOf(own)).toEqual([]);
  expect(await installationOf(own.teamId)).toEqual([]);
  await postsFrom(stays, one, 'Dawn.pdf');
});

test('an organization removes the bot from one workspace: that one leaves, the other keeps its subscriptions and the link they need', async () => {
  const org = { enterpriseId: 'E0HALCYON', isEnterpriseInstall: true, botToken: 'xoxb-halcyon' };
  const [one, two] = [tenant('North', org), tenant('South', org)];
  await one.install();
  await linked(one);
  two.channel.members.add(one.dana.id);
  const gone = await follow(one.dana, one.channel, tower);
  const stays = await follow(one.dana, two.channel, review);

  const sent = await stage.slack.revokeAccess(one.teamId);
  await runDepartures();

  expect(isAtService(gone)).toBe(false);
  expect(await linksOf(one)).toEqual([]);
  expect(await linksOf(two)).toHaveLength(1);
  await postsFrom(stays, two, 'South.pdf');

  await stage.slack.grantAccess(one.teamId);
  await follow(one.dana, one.newChannel('north-again'), tower);
  await sent.replay(3);
  await pass(6);
  expect(await liveOf(one)).toHaveLength(1);
});

test('an organization removes the bot, and somebody in one of its workspaces had only asked for their own list: nothing of them stays', async () => {
  const org = { enterpriseId: 'E0ZEPHYR', isEnterpriseInstall: true, botToken: 'xoxb-zephyr' };
  const [one, two] = [tenant('Bay', org), tenant('Cape', org)];
  await one.install();
  await stage.type(two.sam, '/subscriptions to me', two.channel);
  const known = () => query('select from plancast.direct_messages where team_id = $1', [two.teamId]);
  await expect.poll(known).toHaveLength(1);

  await stage.slack.uninstall(one.teamId, { together: true });
  await pass(2);

  expect(await known()).toEqual([]);
});

test('one link serves all workspaces of an organization: what other software deletes at the service is created again in each', async () => {
  const org = { enterpriseId: 'E0BOREAL', isEnterpriseInstall: true, botToken: 'xoxb-boreal' };
  const [one, two] = [tenant('BorealEast', org), tenant('BorealWest', org)];
  await one.install();
  await linked(one);
  two.channel.members.add(one.dana.id);
  const uris = [await follow(one.dana, one.channel, tower), await follow(one.dana, two.channel, tower)];
  const { subscriptions } = stage.service;
  for (const record of subscriptions.all()) if (uris.includes(record.uri)) subscriptions.remove(record);
  const before = new Set(subscriptions.all());

  await stage.checkLinks();

  const made = subscriptions.all().filter((record) => !before.has(record));
  expect(made).toHaveLength(2);
  for (const [index, { channel }] of [one, two].entries()) {
    const name = `Again-${index}.pdf`;
    for (const { uri } of made) await notify(uri, { item: name, name });
    await stage.slack.waitForMessage(channel, name);
  }
});

test('Slack never reports an uninstall: once it has refused the token for a day, everything of the workspace is removed', async () => {
  const made = await installed('Silent');
  const other = await installed('Locked');
  const uri = await follow(made.dana, made.channel, tower);
  const refused = new Map([
    [
      uri,
      stage.slack.fault({ error: 'account_inactive', team: made.teamId, times: Number.POSITIVE_INFINITY }),
    ],
    // Slack answers this to an address that is not on an allow list, too.
    [
      await follow(other.dana, other.channel, tower),
      stage.slack.fault({ error: 'invalid_auth', team: other.teamId, times: Number.POSITIVE_INFINITY }),
    ],
  ]);
  for (const [to, { hits }] of refused) {
    const before = hits();
    await notify(to, { item: 'refused', name: 'Refused.pdf' });
    await expect.poll(hits).toBeGreaterThan(before);
  }
  await expect
    .poll(() => query(`select 1 from plancast.subscriptions where reason = 'workspace access'`))
    .toHaveLength(2);

  await hours(24);
  expect(await liveOf(made)).toHaveLength(1);
  await hours(1);
  await runDepartures();

  expect(isAtService(uri)).toBe(false);
  expect([await liveOf(made), await linksOf(made), await installationOf(made.teamId)]).toEqual([[], [], []]);
  expect(logged.filter((line) => line.includes('counts as uninstalled'))).toHaveLength(1);
  stage.advance(24 * 60 * minuteMs);
  await runDepartures();
  expect(await rowsNaming([made.teamId, made.channel.id])).toEqual({});
  expect(await liveOf(other)).toHaveLength(1);
  for (const fault of refused.values()) fault.clear();
});

test('Slack refuses a token for a while and then accepts it again: the next refusal counts from its own start', async () => {
  const made = await installed('Wavering');
  const uri = await follow(made.dana, made.channel, tower);
  const refuse = () =>
    stage.slack.fault({ error: 'token_revoked', team: made.teamId, times: Number.POSITIVE_INFINITY });
  const first = refuse();
  await notify(uri, { item: 'refused', name: 'Refused.pdf' });
  await expect
    .poll(() =>
      query('select 1 from plancast.subscriptions where team_id = $1 and reason is not null', [made.teamId]),
    )
    .toHaveLength(1);
  await hours(20);
  first.clear();
  await hours(1);
  const second = refuse();
  await hours(20);

  expect(await liveOf(made)).toHaveLength(1);
  second.clear();
});

test('S87: a day after an uninstall nothing in the database names the workspace, its people, channels or files', async () => {
  const leaving = await installed('Departed');
  const staying = await installed('Remaining');
  const uri = await follow(leaving.dana, leaving.channel, tower);
  const other = await follow(staying.dana, staying.channel, tower);
  await postsFrom(uri, leaving, 'Secret-Tower.pdf');
  await postsFrom(other, staying, 'Open-Tower.pdf');
  await stage.type(leaving.dana, '/subscriptions', leaving.channel);
  await stage.type(leaving.dana, '/plancast mute 1h', leaving.channel);
  await stage.slack.openHome(leaving.dana);
  // Pending in a lane.
  await notify(uri, { item: 'waits', name: 'Secret-Waiting.pdf' });
  const names = [leaving.teamId, leaving.dana.id, leaving.sam.id, leaving.channel.id, 'Secret-'];
  expect(Object.keys(await rowsNaming(names))).toEqual(
    expect.arrayContaining(['plancast.events', 'plancast.items', 'plancast.lanes', 'plancast.audit']),
  );
  expect(await rowsNaming([staying.teamId])).toMatchObject({ 'plancast.items': 1 });
  const remaining = await rowsNaming([staying.channel.id]);

  await stage.slack.uninstall(leaving.teamId);
  await runDepartures();
  stage.advance(24 * 60 * minuteMs);
  await runDepartures();

  expect(await rowsNaming(names)).toEqual({});
  expect(await rowsNaming([staying.channel.id])).toEqual(remaining);
  await postsFrom(other, staying, 'Open-Again.pdf');
});

test('two workspaces and an organization of two, all busy: two leave, one comes back, Slack repeats events: no token is used for another workspace, and a day later only those who stayed are in the database', async () => {
  const org = { enterpriseId: 'E0AURORA', isEnterpriseInstall: true, botToken: 'xoxb-aurora' };
  const [back, staying] = [await installed('Back'), await installed('Stays')];
  const [east, west] = [tenant('AuroraEast', org), tenant('AuroraWest', org)];
  await east.install();
  const all = [back, staying, await linked(east), await linked(west)];
  const uris: string[] = [];
  for (const each of all) uris.push(await follow(each.dana, each.channel, tower));
  const busy = (round: string) =>
    Promise.all(
      all.map(async (each, index) => {
        const name = `${each.workspace.name}-${round}.pdf`;
        await notify(uris[index] ?? '', { item: `${each.teamId}-${round}`, name });
        await stage.type(each.dana, '/subscriptions', each.channel);
      }),
    );

  await busy('first');
  const underWay = busy('second');
  const sent = [
    ...(await stage.slack.uninstall(back.teamId, { together: true })),
    ...(await stage.slack.uninstall(west.teamId, { first: 'app_uninstalled', together: true })),
  ];
  await Promise.all([underWay, runDepartures(), runDepartures(), ...sent.map((event) => event.replay(1))]);
  await runDepartures();
  await back.install();
  await linked(back);
  const again = await follow(back.dana, back.newChannel('back-again'), review);
  await Promise.all(sent.map((event) => event.replay(3)));
  await busy('third');
  await pass(6);
  const isOfOrg = ({ teamId }: Tenant) => teamId === east.teamId || teamId === west.teamId;
  const gone = all.filter(isOfOrg).flatMap((each) => [each.teamId, each.dana.id, each.channel.id, 'Aurora']);

  stage.advance(24 * 60 * minuteMs);
  await Promise.all([runDepartures(), runDepartures()]);
  await stage.bot.runChore('tidy');

  expect(await rowsNaming([...gone, org.enterpriseId])).toEqual({});
  expect(isAtService(again)).toBe(true);
  expect(await liveOf(back)).toHaveLength(1);
  expect(await liveOf(staying)).toHaveLength(1);
  await postsFrom(uris[1] ?? '', staying, 'Stays-at-last.pdf');
  // One token serves the whole organization, and the practice Slack records the first workspace that the token is valid for.
  const posts = stage.slack.callsOf('chat.postMessage').map(({ args, teamId, outcome }) => {
    const place = String(args.channel);
    // A direct message is addressed to a person.
    const host = stage.slack.channels.get(place)?.teamIds[0] ?? stage.slack.users.get(place)?.teamId;
    return { outcome, isOwn: outcome !== 'ok' || tokenOf(host) === tokenOf(teamId) };
  });
  expect(posts.length).toBeGreaterThan(8);
  expect(posts.filter(({ outcome, isOwn }) => !isOwn || outcome === 'channel_not_found')).toEqual([]);
});

const tokenOf = (teamId = '') => stage.slack.workspaces.get(teamId)?.botToken;

test('the installation of a workspace is gone, as after a change from SLACK_BOT_TOKEN: its subscriptions wait for the next one, and nobody reads that their channel forbids posting', async () => {
  const { slack } = stage;
  const made = await installed('Uninstalled');
  const uri = await follow(made.dana, made.channel, tower);
  await query('delete from plancast.keyv where key = $1', [`sealed.installations:${made.teamId}`]);
  // Otherwise the bot would use the installation that it remembers.
  made.workspace.tokenRefusal = 'invalid_auth';

  await notify(uri, { item: 'meanwhile', name: 'Meanwhile.pdf' });

  const states = () =>
    query('select state, reason from plancast.subscriptions where team_id = $1', [made.teamId]);
  await expect.poll(states).toEqual([{ state: 'paused', reason: 'workspace access' }]);
  await made.install();
  await stage.bot.runChore('resume-workspaces');
  await slack.waitForMessage(made.channel, 'Meanwhile.pdf');
  const texts = slack.directMessages(made.dana).map((message) => slack.textOf(message));
  expect(texts.filter((text) => text.includes('not allowed to post'))).toEqual([]);
});
