import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { makeCallbackTokens } from '../../src/core/receiving/callback-token.ts';
import { migrate, migrations } from '../../src/store/migrate.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { startStatementProxy } from '../faults/support/statement-proxy.ts';
import { freePort } from '../support/child-bot.ts';
import { silentLog } from '../support/log.ts';
import { officeWith } from '../support/office.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { type Stage, setStage } from '../support/stage.ts';

/*
 * A full database of the release before what stands at the service had rows of its own: subscriptions in every state, links under two keys,
 * events. `EACH` is how many subscriptions of each state, `EVENTS` and `LINKS` how many there are in all.
 */

const breaking = '0038-remotes-breaking';
const each = Number(process.env.EACH ?? 50);
const eventsTotal = Number(process.env.EVENTS ?? 100_000);
const linksTotal = Number(process.env.LINKS ?? 1_000);
const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const keys = { new: keyOf('new', 1), old: keyOf('old', 2), lost: keyOf('lost', 3) };
const bothKeys = `${keys.new},${keys.old}`;
const allKeys = `${bothKeys},${keys.lost}`;

/** What a subscription of the earlier release was. */
type Kind = {
  readonly name: string;
  readonly state: 'pending' | 'active' | 'paused' | 'ended';
  readonly reason?: string;
  /** Whether it has an id at the service, and whether that exists there. */
  readonly record?: 'stands' | 'gone';
  /** What it replaced: its removal was not stored, or was. */
  readonly previous?: 'stands' | 'removed';
  readonly link?: 'relink' | 'frozen' | 'none';
  readonly released?: true;
  /** The lane's reason. */
  readonly closed?: string;
  readonly file?: true;
  /** Fed by a channel's subscription of somebody else. */
  readonly fed?: true;
  readonly held?: 'paused' | 'muted' | 'digest';
  /** What the service is asked for it in the first minutes. */
  readonly asks?: readonly ('create' | 'delete')[];
  readonly becomes?: string;
};

const kinds: readonly Kind[] = [
  { name: 'active', state: 'active', record: 'stands' },
  { name: 'muted', state: 'active', record: 'stands', held: 'muted' },
  { name: 'digest', state: 'active', record: 'stands', held: 'digest' },
  { name: 'file', state: 'active', record: 'stands', file: true },
  { name: 'by a person', state: 'paused', reason: 'by a person', record: 'stands', held: 'paused' },
  {
    name: 'out',
    state: 'paused',
    reason: 'not in channel',
    closed: 'not_in_channel',
    record: 'stands',
    held: 'paused',
  },
  {
    name: 'archived',
    state: 'paused',
    reason: 'channel archived',
    closed: 'is_archived',
    record: 'stands',
    held: 'paused',
  },
  {
    name: 'restricted',
    state: 'paused',
    reason: 'posting restricted',
    closed: 'restricted_action',
    record: 'stands',
    held: 'paused',
  },
  {
    name: 'link lost',
    state: 'paused',
    reason: 'link lost',
    link: 'relink',
    record: 'stands',
    held: 'paused',
  },
  { name: 'unlinked', state: 'paused', reason: 'unlinked', link: 'none', record: 'gone', held: 'paused' },
  {
    name: 'owner gone',
    state: 'paused',
    reason: 'owner gone',
    link: 'frozen',
    record: 'stands',
    held: 'paused',
  },
  { name: 'no access', state: 'paused', reason: 'no access', record: 'gone', held: 'paused' },
  { name: 'not sent', state: 'paused', reason: 'not sent any more', record: 'gone', held: 'paused' },
  { name: 'replaced', state: 'active', record: 'stands', previous: 'removed' },
  { name: 'replaced, not deleted', state: 'active', record: 'stands', previous: 'stands', asks: ['delete'] },
  // The remote subscription that was being replaced is of the same scope, and stays.
  { name: 'interrupted', state: 'active', previous: 'stands' },
  { name: 'pending', state: 'pending', asks: ['create'], becomes: 'active' },
  { name: 'ended', state: 'ended', record: 'stands', asks: ['delete'] },
  { name: 'released', state: 'ended', record: 'gone', released: true },
  { name: 'never made', state: 'ended' },
  { name: 'follower', state: 'active', fed: true, file: true, asks: ['create'] },
  {
    name: 'follower without a link',
    state: 'active',
    fed: true,
    file: true,
    link: 'none',
    becomes: 'paused',
  },
];
const rows = kinds.flatMap((kind) =>
  Array.from({ length: each }, (_, n) => ({ ...kind, key: `${slug(kind)}${n}` })),
);
const accounts = rows.map(({ key }) => `${key}@example.com`);
/** People who are linked and follow nothing. */
const strangers = Array.from(
  { length: Math.max(0, linksTotal - rows.filter(({ link }) => link !== 'none').length) },
  (_, n) => `x${n}@example.com`,
);

function slug({ name }: Kind): string {
  return name.replaceAll(/\W+/g, '-');
}

const release = fileURLToPath(new URL('../../src/commands/release.ts', import.meta.url));

/** Runs `npm run release`. Returns the process, and a promise of its exit code and output. */
function runRelease(databaseUrl: string, dataDir: string) {
  const child = spawn(process.execPath, [release], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      TOKEN_KEYS: bothKeys,
      PUBLIC_URL: 'http://127.0.0.1:1',
      SLACK_SIGNING_SECRET: 'unused',
      SLACK_BOT_TOKEN: 'xoxb-unused',
      SERVICE_BASE_URL: 'http://127.0.0.1:1',
      SERVICE_AUTH_URL: 'http://127.0.0.1:1',
      SERVICE_CLIENT_ID: 'unused',
      SERVICE_CLIENT_SECRET: 'unused',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, 'exit').then(([code]) => ({ code, output }));
  return { child, ended };
}

test(`an operator upgrades a full database, and the process is killed in the middle: nothing is lost, doubled or announced again, and the service is asked only for what was left to do`, async () => {
  const database = await emptyDatabase('upgrade');
  const folder = await mkdtemp(join(tmpdir(), 'plancast-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const connection = { connectionString: database.url };
  await migrate({ connection, log: silentLog, upTo: migrations[migrations.indexOf(breaking) - 1] });
  const stage = await setStage({
    name: 'upgrade',
    database,
    bot: false,
    seed: officeWith([...accounts, ...strangers]),
  });
  onTestFinished(() => stage.close());
  const publicUrl = `http://127.0.0.1:${await freePort()}`;
  const client = new pg.Client({ connectionString: database.url });
  // If the test fails, the server ends it.
  client.on('error', () => undefined);
  await client.connect();
  await fill(stage, client, publicUrl);
  const before = await counted(client);
  const kept = await keptRows(client);
  stage.service.log.clear();

  // Killed while the tables change: nothing has.
  const proxy = await startStatementProxy(database.url);
  onTestFinished(() => proxy.close());
  const held = proxy.hold({ statement: /create table plancast\.remotes/, when: 'after' });
  const killed = runRelease(proxy.url, folder);
  await held.reached(1, 60_000);
  killed.child.kill('SIGKILL');
  await killed.ended;
  proxy.clear();
  expect(await counted(client)).toEqual(before);

  const began = performance.now();
  const { code, output } = await runRelease(database.url, folder).ended;
  const released = performance.now();
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(await keptRows(client)).toEqual(kept);

  // Some links are sealed under a key that this process does not have: it refuses to start, and changes nothing.
  const port = Number(new URL(publicUrl).port);
  const started = (tokenKeys: string) =>
    stage.startChild({ port, env: { TOKEN_KEYS: tokenKeys, PUBLIC_URL: publicUrl, DATA_DIR: folder } });
  await expect(started(bothKeys)).rejects.toThrow(/ended with 78[\s\S]*put the key of that id back/);
  const starting = performance.now();
  const child = await started(allKeys);
  const ready = performance.now();
  process.stderr.write(
    `${rows.length} subscriptions, ${eventsTotal} events: migrated in ${seconds(began, released)} s, ready ${seconds(starting, ready)} s after its start\n`,
  );

  // The minute's chores of the first minutes, and the check of each link.
  await expect.poll(() => remaining(client), { timeout: 400_000, interval: 1_000 }).toEqual([]);

  expect(asked(stage)).toEqual(wanted);
  expect(wronglyPosted(stage)).toEqual([]);
  expect(await counted(client)).toEqual(afterwards(before));
  expect(await keptRows(client)).toEqual(kept);
  const states = await client.query<{ key: string; state: string }>(
    `select split_part(owner_user_id, 'U', 2) as key, state from plancast.subscriptions order by 1`,
  );
  const wrong = states.rows.filter(({ key, state }) => {
    const row = rows.find((each) => each.key === key);
    return row && state !== (row.becomes ?? row.state);
  });
  expect(wrong).toEqual([]);
  await expectOldButtons(stage, client);

  await child.end('SIGTERM');
  await client.end();
}, 1_200_000);

const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1);

/** Fills the tables of the earlier release, and the service and Slack to go with them. */
async function fill(stage: Stage, client: pg.Client, publicUrl: string): Promise<void> {
  const { service, teamId } = stage;
  const [sealsNew, sealsOld, sealsLost] = Object.values(keys).map((key) => makeSealing(parseTokenKeys(key)));
  if (!sealsNew || !sealsOld || !sealsLost) throw new Error('three keys are needed');
  const secret = Buffer.alloc(32, 9);
  const tokens = makeCallbackTokens({ key: secret });
  const name = 'callback tokens';
  const sealed = await sealsNew.seal(
    { table: 'secrets', row: name, column: 'sealed' },
    secret.toString('base64'),
  );
  await client.query('insert into plancast.secrets (name, sealed) values ($1, $2)', [name, sealed]);
  let fedBy: string | null = null;
  for (const [at, row] of rows.entries()) {
    const sealing = at % each === 0 ? sealsLost : at % 2 === 0 ? sealsNew : sealsOld;
    const id: string = await addRow(stage, client, { row, at, sealing, tokens, publicUrl, fedBy });
    fedBy ??= id;
  }
  for (const [n, account] of strangers.entries()) {
    const accessToken = service.accessToken(account);
    await addLink(client, sealsNew, { teamId, userId: `UX${n}`, account, state: 'active', accessToken });
  }
  await addEvents(client);
  await client.query(`
    insert into plancast.requests (team_id, channel_id, created_by, request, state, created_at)
      select '${teamId}', 'Cactive0', 'Uactive0', '{"act":"unsubscribe","target":{"kind":"project","projectId":"412-873-550"}}', 'asked', now()
      from generate_series(1, 20);
    insert into plancast.exclusions (team_id, channel_id, kind, key, by_user_id, is_active, changed_at)
      select '${teamId}', 'Cmuted' || n, 'person', 'noor@example.com', 'Umuted' || n, true, now() from generate_series(0, 9) n;
    insert into plancast.imports (team_id, channel_id, owner_user_id, request, batch, created_at)
      select '${teamId}', 'Cactive' || n, 'Uactive' || n, '{"target":{}}', gen_random_uuid(), now() from generate_series(0, 9) n;
    insert into plancast.link_attempts (team_id, grid_id, user_id, ticket_hash, step, created_at, expires_at)
      select '${teamId}', '${teamId}', 'UX' || n, sha256(n::text::bytea), 'offered', now(), now() + interval '1 hour' from generate_series(0, 9) n;
    insert into plancast.announcements (team_id, channel_id, message, created_at)
      values ('${teamId}', 'Cactive1', '{"text":"announced before the upgrade","blocks":[]}', now());
    analyze`);
}

type Row = (typeof rows)[number];
type Sealing = ReturnType<typeof makeSealing>;
type CallbackTokens = ReturnType<typeof makeCallbackTokens>;

/** Adds a person with a link and a subscription in a channel of theirs. Returns its id. */
async function addRow(
  { service, slack, teamId }: Stage,
  client: pg.Client,
  given: {
    readonly row: Row;
    readonly at: number;
    readonly sealing: Sealing;
    readonly tokens: CallbackTokens;
    readonly publicUrl: string;
    readonly fedBy: string | null;
  },
): Promise<string> {
  const { row, at, sealing, tokens, publicUrl, fedBy } = given;
  const { key } = row;
  const account = `${key}@example.com`;
  const names = { name: `somebody-${at}`, realName: `Somebody ${at}` };
  // What is in the way in Slack stays: otherwise whether the bot has looked again would depend on the minute.
  const deleted = row.reason === 'owner gone';
  const user = slack.addUser({ id: `U${key}`, teamId, ...names, email: account, deleted });
  const channelId = `${row.fed ? 'D' : 'C'}${key}`;
  const isReadOnly = row.closed === 'restricted_action';
  slack.addChannel({ id: channelId, kind: row.fed ? 'im' : 'public', members: [user], isReadOnly });
  const tower = service.data.project('Harbour Tower');
  const place = { kind: 'project', primeId: tower.primeId, projectId: tower.id } as const;
  if (row.name === 'no access') tower.members.delete(account);
  if (row.name === 'not sent')
    service.faults.set({ endpoint: 'every', user: account, kind: 'answer', status: 409 });
  if (row.link !== 'none') {
    const accessToken = service.accessToken(account);
    const state = row.link ?? 'active';
    await addLink(client, sealing, { teamId, userId: user.id, account, state, accessToken });
  }
  const make = (exists: boolean, comprehensive: boolean) => {
    const token = tokens.make();
    const uri = `${publicUrl}/notifications/${token}`;
    const record = service.subscriptions.add({ user: account, place, comprehensive, uri });
    if (!exists) service.subscriptions.remove(record);
    return { hash: tokens.hash(token), id: record.id };
  };
  const current = row.record && make(row.record === 'stands', !row.file);
  const previous = row.previous && make(row.previous === 'stands', row.name === 'interrupted');
  const item = [...tower.items.values()].find(({ kind }) => kind === 'File')?.id;
  const id = await addSubscription(client, row, {
    teamId,
    channelId,
    userId: user.id,
    itemId: item ?? '',
    sealing,
    current,
    previous,
    unusedHash: tokens.hash(tokens.make()),
    publicUrl,
    fedBy,
  });
  await client.query(
    `insert into plancast.lanes (team_id, channel_id, fence, paused_reason, muted_until)
     values ($1, $2, 0, $3, $4)`,
    [teamId, channelId, row.closed ?? null, row.held === 'muted' ? new Date(Date.now() + 86_400_000) : null],
  );
  return id;
}

type RecordOf = { readonly hash: Buffer; readonly id: number };

async function addSubscription(
  client: pg.Client,
  row: Row,
  given: {
    readonly teamId: string;
    readonly channelId: string;
    readonly userId: string;
    readonly itemId: string;
    readonly sealing: Sealing;
    readonly current: RecordOf | undefined;
    readonly previous: RecordOf | undefined;
    /** Of a token for one that has no record. */
    readonly unusedHash: Buffer;
    readonly publicUrl: string;
    readonly fedBy: string | null;
  },
): Promise<string> {
  const { sealing, current, previous } = given;
  const id = crypto.randomUUID();
  const seal = (column: string) => sealing.seal({ table: 'subscriptions', row: id, column }, 'a Key');
  await client.query(
    `insert into plancast.subscriptions (id, team_id, channel_id, owner_user_id, kind, parent_id, item_id, comprehensive, filters, delivery,
       threads, callback_token_hash, callback_base, service_subscription_id, previous_token_hash, previous_service_subscription_id, sealed_key,
       previous_sealed_key, state, reason, created_at, changed_at, ended_at, released_at, previous_removed_at, fed_by)
     values ($1, $2, $3, $4, $5, '412-873-550', $6, $7, '{"only":[],"paths":[],"by":[],"notBy":[]}', $8, false, $9, $10, $11, $12, $13, $14,
       $15, $16, $17, now() - interval '3 minutes', now() - interval '2 minutes', $18, $19, $20, $21)`,
    [
      id,
      given.teamId,
      given.channelId,
      given.userId,
      row.file ? 'file' : 'project',
      row.file ? given.itemId : null,
      !row.file,
      JSON.stringify(row.held === 'digest' ? digest() : { when: 'live' }),
      current?.hash ?? given.unusedHash,
      given.publicUrl,
      current?.id ?? null,
      previous?.hash ?? null,
      previous?.id ?? null,
      current ? await seal('sealed_key') : null,
      previous ? await seal('previous_sealed_key') : null,
      row.state,
      row.reason ?? null,
      row.state === 'ended' ? new Date(Date.now() - 120_000) : null,
      row.released ? new Date(Date.now() - 60_000) : null,
      row.previous === 'removed' ? new Date(Date.now() - 60_000) : null,
      row.fed ? given.fedBy : null,
    ],
  );
  return id;
}

async function addLink(
  client: pg.Client,
  sealing: Sealing,
  link: {
    readonly teamId: string;
    readonly userId: string;
    readonly account: string;
    readonly state: string;
    readonly accessToken: string;
  },
): Promise<void> {
  const id = crypto.randomUUID();
  const seal = (column: string, text: string) => sealing.seal({ table: 'links', row: id, column }, text);
  const hasTokens = link.state !== 'relink';
  await client.query(
    `insert into plancast.links (id, team_id, grid_id, user_id, account, state, linked_at, refreshed_at, frozen_at, sealed_access_token,
       access_expires_at, sealed_refresh_token, refresh_expires_at, relink_asked_at)
     values ($1, $2, $2, $3, $4, $5, now(), now(), $6, $7, $8, $9, $10, $11)`,
    [
      id,
      link.teamId,
      link.userId,
      link.account,
      link.state,
      link.state === 'frozen' ? new Date() : null,
      hasTokens ? await seal('sealed_access_token', link.accessToken) : null,
      hasTokens ? new Date(Date.now() + 3_000_000) : null,
      hasTokens ? await seal('sealed_refresh_token', 'unused') : null,
      hasTokens ? new Date(Date.now() + 30 * 86_400_000) : null,
      hasTokens ? null : new Date(),
    ],
  );
}

/** A digest that is not due while the test runs. */
function digest() {
  const hour = (new Date().getUTCHours() + 6) % 24;
  return { when: 'daily', at: `${String(hour).padStart(2, '0')}:00`, zone: 'UTC' };
}

/** Adds events: most were posted, a few left out, set aside, held or still waiting. */
async function addEvents(client: pg.Client): Promise<void> {
  const withEvents = rows.filter(({ fed }) => !fed);
  const ofEach = Math.ceil(eventsTotal / withEvents.length);
  const isOpen = (row: Kind) => row.state === 'active' && row.held === undefined && !row.file;
  await client.query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, reason, fingerprint, item_keys, notification,
       message_ts, received_at, posted_at)
     select 'n-' || r.key || '-' || n, s.id, s.team_id, s.channel_id, x.state, case x.state when 'pending' then r.held when 'filtered' then 'type'
         when 'dead' then 'invalid_blocks' end,
       'f-' || r.key || '-' || n, array['item:' || n],
       jsonb_build_object('id', 'n-' || r.key || '-' || n, 'serviceSubscriptionId', null, 'source', '2', 'resource',
         '/Primes/4021/Projects/412-873-550/', 'primeId', '4021', 'projectId', '412-873-550', 'sessionId', null, 'itemId', n::text,
         'happenedAt', x.at, 'resourceType', 'ProjectItems', 'eventType', 'Create', 'actorEmail', 'sam@example.com', 'idPath', '1/' || n,
         'path', 'Root/file-' || r.key || '-' || n || '.pdf', 'itemType', 'file', 'name', 'file-' || r.key || '-' || n || '.pdf'),
       case x.state when 'posted' then '1800000000.' || lpad(n::text, 6, '0') end, x.at, case x.state when 'posted' then x.at end
     from jsonb_to_recordset($1::jsonb) as r(key text, held text, open boolean, ended boolean)
     join plancast.subscriptions s on s.owner_user_id = 'U' || r.key
     cross join generate_series(1, $2::int) n
     cross join lateral (select case when n % 50 = 0 and not r.ended and (r.open or r.held is not null) then 'pending' when n % 50 = 1 then 'dead'
         when n % 10 = 2 then 'filtered' else 'posted' end as state) y
     cross join lateral (select y.state, now() - case when y.state = 'pending' then interval '1 hour' else interval '3 days' end as at) x`,
    [
      JSON.stringify(
        withEvents.map((row) => ({
          key: row.key,
          held: row.held,
          open: isOpen(row),
          ended: row.state === 'ended',
        })),
      ),
      ofEach,
    ],
  );
}

/** Counts the events of each channel by state and reason. */
async function counted(client: pg.Client): Promise<Map<string, number>> {
  const found = await client.query<{ key: string; count: number }>(
    `select concat_ws(' ', channel_id, state, reason) as key, count(*)::int as count from plancast.events group by 1 order by 1`,
  );
  return new Map(found.rows.map(({ key, count }) => [key, count]));
}

/** Counts what stays as it is. */
async function keptRows(client: pg.Client) {
  const found = await client.query(
    `select (select count(*)::int from plancast.requests) as requests, (select count(*)::int from plancast.exclusions) as exclusions,
       (select count(*)::int from plancast.links) as links,
       (select count(*)::int from plancast.link_attempts where step = 'offered') as attempts,
       (select count(*)::int from plancast.subscriptions) as subscriptions, (select count(*)::int from plancast.events) as events`,
  );
  return found.rows[0];
}

/** Names what the bot still has to do after the upgrade. */
async function remaining(client: pg.Client): Promise<string[]> {
  const found = await client.query<{ what: string }>(
    `select 'to make' as what from plancast.subscriptions where state = 'pending'
     union select 'to find' from plancast.remotes where made_at is null and deleted_at is null
     union select 'to delete' from plancast.subscriptions s join plancast.remotes r on r.subscription_id = s.id
       where r.made_at is not null and r.deleted_at is null and (s.state = 'ended' or r.comprehensive <> s.comprehensive)
     union select 'to post' from plancast.events where state = 'pending' and reason is null
     union select 'to announce' from plancast.announcements
     union select 'to check' from plancast.links where check_at <= now()`,
  );
  return found.rows.map(({ what }) => what);
}

/** How often subscriptions of each kind were made and deleted at the service. */
function asked({ service }: Stage): Map<string, number> {
  const changes = service.log.of('subscription').map(({ user, change }) => {
    const row = rows.find(({ key }) => user === `${key}@example.com`);
    return `${row?.name ?? user} ${change === 'created' ? 'create' : 'delete'}`;
  });
  return new Map([...Map.groupBy(changes, (what) => what)].map(([what, all]) => [what, all.length] as const));
}

const wanted = new Map(
  kinds.flatMap(({ name, asks = [] }) => asks.map((ask) => [`${name} ${ask}`, each] as const)),
);

/** Returns what a count of events becomes: what waited for nothing is posted, all else is as before. */
function afterwards(before: ReadonlyMap<string, number>): Map<string, number> {
  const after = new Map(before);
  for (const [key, count] of before) {
    const [channel = '', state, reason] = key.split(' ');
    if (state !== 'pending' || reason !== undefined) continue;
    after.delete(key);
    const posted = `${channel} posted`;
    after.set(posted, (after.get(posted) ?? 0) + count);
  }
  return after;
}

/** Returns what was posted that should not have been, and what is missing: each waiting event once, and what people have to be notified of. */
function wronglyPosted({ slack }: Stage): string[] {
  const channelsOf = Map.groupBy(slack.allMessages, ({ channelId }) => channelId);
  return rows.flatMap((row) => {
    const messages = channelsOf.get(`${row.fed ? 'D' : 'C'}${row.key}`) ?? [];
    const waited = row.state === 'active' && row.held === undefined && !row.file;
    // A subscription that was being made is announced once it is; a follower reads that it waits for a link.
    const expected =
      Number(waited) +
      Number(row.name === 'pending') +
      Number(row.becomes === 'paused') +
      Number(row.key === 'active1');
    const names = messages.flatMap(({ text }) =>
      [...text.matchAll(/file-[\w-]+-\d+\.pdf/g)].map(([name]) => name),
    );
    const isDouble = new Set(names).size !== names.length;
    return messages.length === expected && !isDouble
      ? []
      : `${row.key}: ${messages.length} instead of ${expected}: ${messages.map((message) => slack.textOf(message).replaceAll('\n', ' ')).join(' | ')}`;
  });
}

/** Presses buttons that the earlier release posted. */
async function expectOldButtons({ slack }: Stage, client: pg.Client): Promise<void> {
  const user = slack.users.get('Uactive3');
  const [message] = slack.allMessages.filter(({ channelId }) => channelId === 'Cactive3');
  if (!user || !message) throw new Error('nothing was posted there');
  const found = await client.query<{ id: string; seq: string }>(
    `select s.id, max(e.seq)::text as seq from plancast.subscriptions s join plancast.events e on e.subscription_id = s.id
     where s.channel_id = 'Cactive3' group by s.id`,
  );
  const { id = '', seq = '' } = found.rows[0] ?? {};
  const press = (actionId: string, value: string) => {
    const element = { type: 'button', action_id: actionId, text: { type: 'plain_text', text: 'x' }, value };
    return slack.click({
      user,
      message,
      element: { blockId: `subscriptions:0/${id}`, actionId, element, input: undefined },
    });
  };
  await press('activity_menu', `mute:${seq}`);
  await slack.waitForMessage('Cactive3', 'muted');
  await press('subscription_pause', id);
  await slack.waitForMessage('Cactive3', 'paused the subscription');
}
