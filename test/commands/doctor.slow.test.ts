import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { diagnose } from '../../src/commands/doctor/diagnose.ts';
import { lineOf } from '../../src/commands/doctor/finding.ts';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import type { Connection } from '../../src/store/database.ts';
import { listenForLanes } from '../../src/store/lane-signals.ts';
import { migrate } from '../../src/store/migrate.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys, readOrCreateTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { makeKeyv, makeSealedRecords } from '../../src/store/tables/keyv-records.ts';
import { freePort } from '../support/child-bot.ts';
import { silentLog } from '../support/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { challengeIn, keys, type Replies, type Systems, scopes, startSystems } from './systems.ts';

let database: TestDatabase;
let folder: string;
const running: Systems[] = [];
const listeners: ReturnType<typeof listenForLanes>[] = [];

beforeAll(async () => {
  database = await freshDatabase('doctor');
  await hasWorker({ connectionString: database.url });
  folder = await mkdtemp(join(tmpdir(), 'plancast-doctor-'));
});

afterEach(() => {
  for (const { close } of running.splice(0)) close();
});

afterAll(async () => {
  for (const listener of listeners) await listener.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Connects to a database as a process that posts does, until all tests are done. */
async function hasWorker(connection: Connection): Promise<void> {
  const connected = Promise.withResolvers<void>();
  listeners.push(listenForLanes({ connection, log: silentLog, onSignal: () => connected.resolve() }));
  await connected.promise;
}

/** Stores an installation in a workspace, as the bot does. */
async function install(id: string): Promise<void> {
  const sealing = makeSealing(parseTokenKeys(keys));
  const keyv = makeKeyv(database.connect());
  const records = makeSealedRecords<object>({ keyv, namespace: 'installations', sealing });
  await records.set(id, { team: { id }, bot: { token: `xoxb-${id}` } });
}

/** Starts all systems on one port, answering as they do when all is well, except for `changes`. */
async function systems(changes: Replies = {}): Promise<Systems> {
  const started = await startSystems(database.url, changes);
  running.push(started);
  return started;
}

/** Returns what the command would print, without starting a process. */
async function faultsFound(environment: Record<string, string>) {
  const findings = await diagnose(environment, () => new Date());
  return findings.map(lineOf).filter((line) => line.startsWith('FAULT'));
}

/** Runs the command as an admin does. */
async function doctor(environment: Record<string, string>) {
  const run = spawn(process.execPath, [join(import.meta.dirname, '../../src/commands/doctor.ts')], {
    env: environment,
  });
  const [stdout, stderr, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
  const lines = stdout.trimEnd().split('\n');
  return { code, stderr, lines, faults: lines.filter((line) => line.startsWith('FAULT')) };
}

test('an admin with a healthy installation gets one line per check', async () => {
  const { environment } = await systems();

  const { code, lines, stderr } = await doctor(environment);

  expect(lines).toEqual([
    'ok       configuration: every required setting is set.',
    'ok       database: the one of DATABASE_URL answers, has its tables, and the keys decrypt the stored data.',
    'ok       Slack: the bot token is that of the workspace Studio.',
    'ok       Slack: all scopes are granted.',
    'skipped  Slack: SLACK_SIGNING_SECRET cannot be checked from here until Slack has sent a request.',
    'ok       service: its authorization page answers.',
    'ok       service: it accepts the client id and secret.',
    'ok       service: its API answers.',
    `ok       public address: ${environment.PUBLIC_URL} leads to the bot.`,
    'ok       clock: within 60 s of the database, Slack, the service.',
  ]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

test('of many workspaces, an admin sees those whose installation Slack refuses or that lack scopes, and none whose token has only expired', async () => {
  const answers: Record<string, { headers?: Record<string, string>; body: string }> = {
    T2: { body: '{"ok":false,"error":"account_inactive"}' },
    T3: { headers: { 'x-oauth-scopes': 'commands,chat:write' }, body: '{"ok":true}' },
    T4: { body: '{"ok":false,"error":"token_expired"}' },
  };
  const fine = { headers: { 'x-oauth-scopes': scopes }, body: '{"ok":true}' };
  const { environment } = await systems({
    'POST /slack/api/auth.test': ({ headers }) =>
      answers[headers.authorization?.replace('Bearer xoxb-', '') ?? ''] ?? fine,
  });
  for (const id of ['T1', 'T2', 'T3', 'T4']) await install(id);
  const { SLACK_BOT_TOKEN: _, ...others } = environment;
  const remedy = `Remedy: open ${environment.PUBLIC_URL}/slack/install.`;

  expect(
    await faultsFound({ ...others, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'client-hunter2' }),
  ).toEqual([
    `FAULT    Slack: in T2, it refuses the bot token (account_inactive). ${remedy}`,
    `FAULT    Slack: in T3, scopes are missing: channels:read, groups:read, users:read. ${remedy}`,
  ]);
});

test('an admin reads what is off because an optional scope is missing, and where to install the bot again', async () => {
  const granted = (list: string) => ({
    headers: { 'x-oauth-scopes': list },
    body: '{"ok":true,"team":"Studio"}',
  });
  const { environment } = await systems({
    'POST /slack/api/auth.test': granted(scopes.replace(/,users:read.email|,app_mentions:read/g, '')),
  });
  const warnings = async (more: Record<string, string>) =>
    (await diagnose({ ...environment, ...more }, () => new Date()))
      .map(lineOf)
      .filter((line) => line.startsWith('warning  Slack'));

  expect(await warnings({ SERVICE_PROJECT_URL: 'https://plans.example/{project}' })).toEqual([
    'warning  Slack: off for lack of scopes: matching people by email address (users:read.email), answers to mentions' +
      ' (app_mentions:read), previews of links (links:read, links:write). Remedy: update the Slack app with the output of' +
      ' `npm run manifest`, and reinstall it at https://api.slack.com/apps.',
  ]);
  const { SLACK_BOT_TOKEN: _, ...others } = environment;
  const app = { ...others, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'client-hunter2' };
  const findings = (await diagnose(app, () => new Date())).map(lineOf);
  expect(findings).toContainEqual(
    expect.stringMatching(
      /^warning {2}Slack: in .+, off for lack of scopes: matching people by email address \(users:read\.email\), .+ Remedy: open .+\/slack\/install\.$/,
    ),
  );
}, 30_000);

test.each<[string, Replies, RegExp]>([
  [
    'something else answers for Slack',
    { 'POST /slack/api/auth.test': { body: '<html>' } },
    /^FAULT {4}Slack: SLACK_API_URL answers 200, and not as Slack does\. Remedy: fix SLACK_API_URL/,
  ],
  [
    'the service has no authorization page there',
    { 'GET /auth/auth/oauth/authorize': { status: 404 } },
    /^FAULT {4}service: SERVICE_AUTH_URL has no authorization page \(404\)\. Remedy: fix SERVICE_AUTH_URL\.$/,
  ],
  [
    'the service is down',
    { 'GET /service/v1/notifications/subscriptions': { status: 503 } },
    /^FAULT {4}service: its API answers 503\. Remedy: wait/,
  ],
  [
    'the public address leads to a server that echoes what it receives',
    { 'POST /bot/slack/events': { body: challengeIn } },
    /^FAULT {4}public address: something other than this bot answers at \S+\. .* with \/bot stripped from the path\.$/,
  ],
  [
    'the bot is not ready',
    { 'POST /bot/slack/events': { status: 503 } },
    /^FAULT {4}public address: the bot behind \S+ is not ready\. Remedy: check its log\.$/,
  ],
])('an admin sees what is wrong and its remedy: %s', async (_what, changes, line) => {
  const { environment } = await systems(changes);

  const faults = await faultsFound(environment);

  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(line);
});

test('the service refuses the scopes before it asks the person', async () => {
  const { environment } = await systems();
  const location = `${environment.PUBLIC_URL}/oauth/callback?error=invalid_scope&state=x`;
  const refusing = await systems({
    'GET /auth/auth/oauth/authorize': { status: 302, headers: { location } },
  });

  const { faults } = await doctor({
    ...environment,
    SERVICE_AUTH_URL: refusing.environment.SERVICE_AUTH_URL,
  });

  expect(faults).toEqual([
    'FAULT    service: it refuses authorization requests (invalid_scope).' +
      ' Remedy: compare SERVICE_SCOPES with the scopes of the registered app.',
  ]);
});

test('when nothing answers, every system still has its line, and no line contains a secret', async () => {
  const { environment } = await systems();
  const nowhere = `http://127.0.0.1:${await freePort()}`;

  const { code, lines, faults, stderr } = await doctor({
    ...environment,
    PUBLIC_URL: nowhere,
    DATABASE_URL: nowhere.replace('http://', 'postgres://plancast:hunter2@'),
    SLACK_API_URL: nowhere,
    SERVICE_BASE_URL: nowhere,
    SERVICE_AUTH_URL: nowhere,
  });

  expect(faults.map((line) => line.replace(/\. Remedy: .{10,}\.$/, ''))).toEqual([
    'FAULT    database: it cannot be reached (nothing listens there)',
    'FAULT    Slack: its API cannot be reached (nothing listens there)',
    'FAULT    service: SERVICE_AUTH_URL cannot be reached (nothing listens there)',
    'FAULT    service: SERVICE_BASE_URL cannot be reached (nothing listens there)',
    `FAULT    public address: ${nowhere} cannot be reached (nothing listens there)`,
  ]);
  expect(lines.at(-1)).toBe('skipped  clock: there was no other clock to compare with.');
  expect(`${lines.join('\n')}${stderr}`).not.toContain('hunter2');
  expect(code).toBe(1);
});

test('an operator reads in which channels nothing has moved for five minutes, and the check passes', async () => {
  const { environment } = await systems();
  const { pool } = database.connect();
  await pool.query(
    `insert into plancast.lanes (team_id, channel_id) values ('T1', 'C1'), ('T1', 'C2');
     insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, received_at)
     values ('1', gen_random_uuid(), 'T1', 'C1', 'pending', now() - interval '6 minutes'),
       ('2', gen_random_uuid(), 'T1', 'C2', 'pending', now() - interval '4 minutes')`,
  );
  const { code, lines } = await doctor(environment);
  await pool.query('delete from plancast.events; delete from plancast.lanes');
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
    'warning  database: it has changes waiting for channels where nothing is posted (T1/C1). Remedy: `npm run status` lists them all, and the log of the worker says what fails.',
  ]);
  expect(code).toBe(0);
});

test('an operator who adds an argument gets the usage', async () => {
  const run = spawn(process.execPath, [join(import.meta.dirname, '../../src/commands/doctor.ts'), 'now'], {
    env: {},
  });
  const [stderr, [code]] = await Promise.all([text(run.stderr), once(run, 'exit')]);

  expect(stderr).toMatch(/^Usage: npm run doctor /);
  expect(code).toBe(2);
});

test('the embedded database is checked where it runs, and neither created nor started where it does not', async () => {
  const { environment } = await systems();
  const DATA_DIR = join(folder, 'data');
  const embedded = { ...environment, DATABASE_URL: '', TOKEN_KEYS: '', DATA_DIR };
  const notRunning = [
    expect.stringMatching(/^FAULT {4}database: the embedded one in \S+ is not running.+`npm start`/),
  ];

  expect(await faultsFound(embedded)).toEqual(notRunning);
  expect(await readdir(folder)).toEqual([]);

  const server = await startEmbeddedPostgres({ dataDir: DATA_DIR, log: silentLog });
  await migrate({ connection: server.connection, log: silentLog });
  await readOrCreateTokenKeys({ dataDir: DATA_DIR, now: new Date() });
  await hasWorker(server.connection);
  const running = await doctor(embedded);
  await listeners.pop()?.close();
  await server.stop();

  expect(running.lines[1]).toBe(
    'ok       database: the embedded one answers, has its tables, and the keys decrypt the stored data.',
  );
  expect(running.code).toBe(0);
  expect(await faultsFound(embedded)).toEqual(notRunning);
});
