import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { diagnose } from '../../src/commands/doctor/diagnose.ts';
import { lineOf } from '../../src/commands/doctor/finding.ts';
import { composeCallbackTokens } from '../../src/compose/receiving.ts';
import { markRestored } from '../../src/store/backup-file.ts';
import { migrate, migrations } from '../../src/store/migrate.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { makeKeyv, makeSealedRecords } from '../../src/store/tables/keyv-records.ts';
import { readOrCreateSecret } from '../../src/store/tables/secrets.ts';
import * as servedAddress from '../../src/store/tables/served-address.ts';
import { root } from '../guards/source-files.ts';
import { freePort } from '../support/child-bot.ts';
import { encryptingNeeds, startEncryptingPostgres } from '../support/encrypting-postgres.ts';
import { silentLog } from '../support/log.ts';
import { bodyOf } from '../support/notify.ts';
import { ignored, poolerNeeds, startPooler } from '../support/pooler.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { environment, runCommand } from './run-command.ts';
import { keys, type Replies, scopes, startSystems } from './systems.ts';

/** A mistake that an admin made. */
type SetUp = {
  /** Settings that replace or extend the correct ones; undefined omits one. */
  readonly set?: Readonly<Record<string, string | undefined>>;
  /** Answers that the systems around the bot give instead. */
  readonly systems?: Replies;
  /** Done while the bot runs, before the doctor looks at it. */
  readonly meanwhile?: (url: string) => Promise<void>;
  /** The doctor looks before the first start, which repairs what it finds. */
  readonly early?: boolean;
};

const here = '127.0.0.1';
/** What is stopped after each setup. */
const stops: (() => Promise<unknown>)[] = [];

function ofDatabase({ url, drop }: Pick<TestDatabase, 'url' | 'drop'>): SetUp {
  stops.push(drop);
  return { set: { DATABASE_URL: url } };
}

/** Returns a setup with a database that has all tables, changed by a statement in which `%` stands for its name. */
async function changed(statement: string, make = freshDatabase): Promise<SetUp> {
  const database = await make('set-up');
  const name = new URL(database.url).pathname.slice(1);
  await database.connect().pool.query(statement.replaceAll('%', name));
  return ofDatabase(database);
}

async function withAddress(change: (url: URL) => void): Promise<SetUp> {
  const database = await freshDatabase('set-up');
  const url = new URL(database.url);
  change(url);
  return ofDatabase({ url: url.href, drop: database.drop });
}

async function sealedWithOtherKeys(): Promise<SetUp> {
  const database = await freshDatabase('set-up');
  const sealing = makeSealing(parseTokenKeys(`old:${Buffer.alloc(32, 2).toString('base64')}`));
  await readOrCreateSecret({ db: database.connect().db, sealing }, 'canary', () => 'x');
  return ofDatabase(database);
}

/** Returns a setup with a user who owns nothing, after a statement in which `USER` and `NAME` stand for that user and the database. */
async function limitedUser(statement = 'select 1'): Promise<SetUp> {
  const database = await emptyDatabase('set-up');
  const { pool } = database.connect();
  const name = `limited_${process.pid}`;
  await pool.query(`create role ${name} login password 'hunter2'`);
  await pool.query(statement.replace('USER', name).replace('NAME', new URL(database.url).pathname.slice(1)));
  const url = new URL(database.url);
  url.username = name;
  url.password = 'hunter2';
  const drop = async () => {
    await pool.query(`drop owned by ${name}; drop role ${name}`);
    await database.drop();
  };
  return ofDatabase({ url: url.href, drop });
}

async function pooled(...args: Parameters<typeof startPooler>): Promise<SetUp> {
  const { url, stop } = await startPooler(...args);
  return ofDatabase({ url, drop: stop });
}

async function inLatin1(): Promise<SetUp> {
  const database = await emptyDatabase('set-up');
  const url = new URL(database.url);
  url.pathname += '_latin1';
  const { pool } = database.connect();
  const name = url.pathname.slice(1);
  await pool.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const drop = async () => {
    await pool.query(`drop database ${name} with (force)`);
    await database.drop();
  };
  return ofDatabase({ url: url.href, drop });
}

type Encrypting = Awaited<ReturnType<typeof startEncryptingPostgres>>;

async function encrypting(address: (server: Encrypting) => string): Promise<SetUp> {
  const server = await startEncryptingPostgres();
  return ofDatabase({ url: address(server), drop: server.stop });
}

async function asynchronousStandby(): Promise<SetUp> {
  const server = await startEncryptingPostgres();
  const url = `${server.url}?sslmode=verify-full&sslrootcert=${server.authority}`;
  await migrate({ connection: { connectionString: url }, log: silentLog });
  const leave = await server.follow();
  const drop = async () => {
    await leave();
    await server.stop();
  };
  return ofDatabase({ url, drop });
}

/** Returns a setup without a database of its own, in a folder that may hold a file of keys with these rights. */
async function embedded(mode?: number): Promise<SetUp> {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-set-up-'));
  // Otherwise root's server could not reach it.
  await chmod(folder, 0o755);
  stops.push(() => rm(folder, { recursive: true }));
  if (mode !== undefined) await writeFile(join(folder, 'token-keys'), `${keys}\n`, { mode });
  return { set: { DATABASE_URL: undefined, TOKEN_KEYS: undefined, DATA_DIR: folder } };
}

const ofAnApp = { SLACK_BOT_TOKEN: undefined, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'hunter2' };

/** Returns a setup of an app that is installed in a workspace, with Slack's answer to that token. */
async function installed(answer: Replies[string]): Promise<SetUp> {
  const database = await freshDatabase('set-up');
  const keyv = makeKeyv(database.connect());
  const sealing = makeSealing(parseTokenKeys(keys));
  const records = makeSealedRecords<object>({ keyv, namespace: 'installations', sealing });
  await records.set('T0NORTHWIND', {
    team: { id: 'T0NORTHWIND' },
    bot: { token: 'xoxb-hunter2', scopes: [] },
  });
  const { set } = ofDatabase(database);
  return { set: { ...set, ...ofAnApp }, systems: { 'POST /slack/api/auth.test': answer } };
}

/** Returns a setup with a subscription whose callback URL gets a notification that the service has not signed. */
async function refusing(): Promise<SetUp> {
  const database = await freshDatabase('set-up');
  const connected = database.connect();
  const { pool } = connected;
  const sealing = makeSealing(parseTokenKeys(keys));
  const tokens = await composeCallbackTokens({ database: connected, sealing });
  const token = tokens.make();
  await pool.query(
    `with added as (
       insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery,
         threads, state, created_at, changed_at)
       values ('T1', 'C1', 'U1', 'project', '412-873-550', true, '{}', '{}', false, 'paused', now(), now()) returning id)
     insert into plancast.remotes (subscription_id, team_id, token_hash, callback_base, comprehensive, service_id, asked_at, made_at)
     select id, 'T1', $1, 'https://bot.example.com', true, 11, now(), now() from added`,
    [tokens.hash(token)],
  );
  const { set } = ofDatabase(database);
  return {
    set: { ...set, SERVICE_SIGNATURE: 'enforce:x-signature:sha256-hex' },
    meanwhile: async (url) => {
      const body = JSON.stringify(bodyOf({ item: 'a', name: 'A.pdf' }));
      const { status } = await fetch(`${url}/notifications/${token}`, { method: 'POST', body });
      expect(status).toBe(401);
    },
  };
}

const signOn = { status: 302, headers: { location: 'https://login.example.com/' } };

/** Returns a setup whose tables lack what the last migration adds. */
async function ofThePreviousRelease(): Promise<SetUp> {
  const database = await emptyDatabase('set-up');
  const upTo = migrations.at(-2);
  await migrate({ connection: { connectionString: database.url }, log: silentLog, upTo });
  return { ...ofDatabase(database), early: true };
}

/** Returns a setup whose database another bot has used; `copy` marks it as restored from a backup. */
async function servingAnother(copy = false): Promise<SetUp> {
  const database = await freshDatabase('set-up');
  const { db, pool } = database.connect();
  await servedAddress.takeOver(db, 'https://plans.example.com');
  if (copy) await markRestored(pool);
  return ofDatabase(database);
}

async function takenPort(): Promise<SetUp> {
  const server = createServer().listen(0, here);
  await once(server, 'listening');
  stops.push(async () => server.close());
  const address = server.address();
  return { set: { PORT: String(typeof address === 'object' ? address?.port : 0) } };
}

/** Sends a command as Slack does, signed with the secret of another app. */
async function signedByAnother(url: string): Promise<void> {
  const seconds = String(Math.floor(Date.now() / 1_000));
  const body = 'command=%2Fplancast&text=help';
  const signature = createHmac('sha256', 'of another app').update(`v0:${seconds}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': `v0=${signature}`,
  };
  const { status } = await fetch(`${url}/slack/events`, { method: 'POST', headers, body });
  expect(status).toBe(401);
}

const late = () => new Date(Date.now() - 200_000).toUTCString();

/** Each setup under its headline in docs/troubleshooting.md. */
const setUps: Readonly<Record<string, () => SetUp | Promise<SetUp>>> = {
  'Settings are missing': () => ({
    set: { PUBLIC_URL: undefined, SLACK_SIGNING_SECRET: undefined, SERVICE_CLIENT_SECRET: undefined },
  }),
  'Settings are malformed': () => ({
    set: { PUBLIC_URL: 'http://bot.example.com', PORT: 'many', ROLE: 'boss' },
  }),
  'The name of a setting is misspelled': async () => {
    const { set } = await embedded();
    return {
      set: { ...set, DATABASE_URI: 'postgres://db', TRUST_PROXIES: '1', METRIC_PORT: '9', LOGLEVEL: 'debug' },
    };
  },
  'The address of a page has no placeholder': () => ({
    set: { SERVICE_PROJECT_URL: 'https://plans.example.com/projects' },
  }),
  'Every user of the machine can read the keys': () => embedded(0o644),
  'HTTPS_PROXY is set': () => ({ set: { HTTPS_PROXY: `http://${here}:9` } }),
  'A database of your own without TOKEN_KEYS': () => ({ set: { TOKEN_KEYS: undefined } }),
  'TOKEN_KEYS cannot decrypt the stored data': sealedWithOtherKeys,
  'No Postgres listens at DATABASE_URL': async () => ({
    set: { DATABASE_URL: `postgres://plancast:hunter2@${here}:${await freePort()}/plancast` },
  }),
  'The password of the database is wrong': () => withAddress((url) => (url.password = 'wrong')),
  'The database does not exist': () => withAddress((url) => (url.pathname = '/there_is_none')),
  'The database user may not create tables': () => limitedUser(),
  'The schema of the bot belongs to another user': () =>
    limitedUser('create schema plancast; grant create on database NAME to USER'),
  'The schema of the bot belongs to another program': () =>
    changed('create schema plancast; create table plancast.migrations (version integer)', emptyDatabase),
  'The database has no tables yet': async () => ({
    ...(await changed('select 1', emptyDatabase)),
    early: true,
  }),
  'Migrations of this release are pending': ofThePreviousRelease,
  'A newer release has migrated the database': () =>
    changed(`insert into plancast.migrations values ('9999-later', now()::text)`),
  'A newer release has changed the database': () =>
    changed(`insert into plancast.migrations values ('9999-later-breaking', now()::text)`),
  'The database is set to read-only': () =>
    changed('alter database % set default_transaction_read_only = on'),
  'Postgres can lose confirmed writes': () => changed('alter database % set synchronous_commit = off'),
  'The standbys of Postgres are asynchronous': asynchronousStandby,
  'The pool is larger than Postgres allows': () => changed('alter database % connection limit 15'),
  'Postgres accepts only encrypted connections': () => encrypting(({ url }) => url),
  'No line of pg_hba.conf allows the connection': () =>
    encrypting(({ url, authority }) =>
      `${url}?sslmode=verify-full&sslrootcert=${authority}`.replace('/postgres?', '/template1?'),
    ),
  'The certificate of Postgres is from a private authority': () =>
    encrypting(({ url }) => `${url}?sslmode=verify-full`),
  'The certificate of Postgres is for another host': () =>
    encrypting(
      ({ urlOfOtherName, authority }) => `${urlOfOtherName}?sslmode=verify-full&sslrootcert=${authority}`,
    ),
  'A certificate file is missing': () =>
    withAddress((url) => (url.search += '&sslmode=verify-full&sslrootcert=/etc/nowhere.pem')),
  'PgBouncer runs in transaction mode': () => pooled('transaction'),
  'PgBouncer refuses the connection settings of the bot': () => pooled('session', ''),
  'PgBouncer keeps the settings of the database': () =>
    pooled('session', ignored, `alter database % set datestyle = 'German, DMY'`),
  'The database is not in UTF-8': inLatin1,
  'DATA_DIR cannot be created': () => ({
    set: { DATABASE_URL: undefined, TOKEN_KEYS: undefined, DATA_DIR: '/dev/null/data' },
  }),
  'The port is taken': takenPort,
  'PUBLIC_URL is not the address that the database serves': () => servingAnother(),
  'The database was restored from a backup': () => servingAnother(true),
  'PUBLIC_URL does not reach the bot': () => ({ systems: { 'GET /bot/healthz': { status: 502 } } }),
  'PUBLIC_URL leads to another website': () => ({
    systems: { 'POST /bot/slack/events': { body: '<html>Welcome</html>' } },
  }),
  'A single sign-on answers some paths': () => ({
    systems: {
      'POST /bot/notifications/doctor': signOn,
      'GET /bot/link/doctor': signOn,
      'GET /bot/oauth/callback': signOn,
      'GET /bot/linked': signOn,
    },
  }),
  'The proxy strips a part of some paths': () => ({
    systems: { 'POST /bot/notifications/doctor': { status: 404, body: 'Nothing here.\n' } },
  }),
  'No process posts': () => ({ set: { ROLE: 'web' } }),
  'PUBLIC_URL leads to the bot of another Slack app': () => ({
    systems: { 'POST /bot/slack/events': { status: 401 } },
  }),
  'SLACK_SIGNING_SECRET is from another app': () => ({ meanwhile: signedByAnother }),
  'Slack does not know the bot token': () => ({
    systems: { 'POST /slack/api/auth.test': { body: '{"ok":false,"error":"invalid_auth"}' } },
  }),
  'Slack does not know the client secret': async () => ({
    ...(await installed({})),
    systems: { 'POST /slack/api/oauth.v2.access': { body: '{"ok":false,"error":"bad_client_secret"}' } },
  }),
  'No workspace has installed the app': () => ({ set: ofAnApp }),
  'Slack has revoked the installation': () => installed({ body: '{"ok":false,"error":"token_revoked"}' }),
  'The app was installed with an older manifest': () =>
    installed({ headers: { 'x-oauth-scopes': 'commands, chat:write' }, body: '{"ok":true}' }),
  'Scopes were not granted': () => ({
    systems: {
      'POST /slack/api/auth.test': {
        headers: { 'x-oauth-scopes': 'commands, chat:write' },
        body: '{"ok":true,"team":"Studio"}',
      },
    },
  }),
  'The service does not know the client id': () => ({
    systems: { 'GET /auth/auth/oauth/authorize': { status: 400 } },
  }),
  'The service does not know the client secret': () => ({
    systems: { 'POST /auth/auth/token': { status: 401, body: '{"error":"invalid_client"}' } },
  }),
  'SERVICE_BASE_URL lacks its version': () => ({
    systems: { 'GET /service/v1/notifications/subscriptions': { status: 404 } },
  }),
  'Notifications do not match SERVICE_SIGNATURE': refusing,
  'The clock of this machine is wrong': () => ({
    systems: {
      'POST /slack/api/auth.test': {
        headers: { 'x-oauth-scopes': scopes, date: late() },
        body: '{"ok":true,"team":"Studio"}',
      },
    },
  }),
};

/** Headlines that cannot be set up on this machine, with what each one needs. */
const needs = new Map(
  Object.keys(setUps).flatMap((name): [string, string][] => {
    if (/^PgBouncer/.test(name) && poolerNeeds !== null) return [[name, poolerNeeds]];
    const isEncrypting = /^The standbys|encrypted connections|^The certificate/.test(name);
    return isEncrypting && encryptingNeeds !== null ? [[name, encryptingNeeds]] : [];
  }),
);
for (const [name, what] of needs) process.stderr.write(`skipped: "${name}" needs ${what}\n`);

type Environment = Readonly<Record<string, string>>;

/** Returns the lines of the doctor that an admin has to act on. */
async function doctorSays(environment: Environment): Promise<string[]> {
  const findings = await diagnose(environment, () => new Date());
  return findings.map(lineOf).filter((line) => /^(?:FAULT|warning)/.test(line));
}

/** Starts the bot as an admin does; the doctor looks while it serves or stands by, or else once it has exited. */
async function start(environment: Environment, { meanwhile, early = false }: SetUp) {
  const before = early ? await doctorSays(environment) : null;
  const bot = spawn(process.execPath, ['src/main.ts'], { cwd: root, env: environment });
  const ended = once(bot, 'exit');
  const output = { log: '', said: '' };
  bot.stdout.on('data', (chunk) => (output.log += chunk));
  bot.stderr.on('data', (chunk) => (output.said += chunk));
  const isReady = () => /"msg":"(?:ready|standing by)/.test(output.log);
  while (bot.exitCode === null && !isReady()) await Promise.race([ended, sleep(50)]);
  const serves = isReady();
  if (serves) await meanwhile?.(`http://${here}:${environment.PORT}`);
  let doctor = before ?? (await doctorSays(environment));
  // A process that has just become ready connects for this a moment later.
  if (serves && /no process that posts/.test(doctor.join())) doctor = await doctorSays(environment);
  if (bot.exitCode === null) bot.kill('SIGINT');
  const [code] = await ended;
  const warnings = output.log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): { level: string; msg: string } => JSON.parse(line))
    .filter(({ level, msg }) => level === 'warn' && msg !== 'slack' && !msg.endsWith('trying again'))
    .map(({ msg }) => msg);
  return { serves, code, doctor, warnings, said: output.said.trimEnd() };
}

/** Returns what both print, as it is on the page: addresses that change from run to run are replaced. */
async function sectionOf(name: string): Promise<string> {
  const setUp = (await setUps[name]?.()) ?? {};
  const { set = {}, systems = {} } = setUp;
  const database = 'DATABASE_URL' in set ? null : await freshDatabase('set-up');
  const port = await freePort();
  const started = await startSystems(database?.url ?? '', systems, port);
  const wanted = { ...started.environment, HOST: here, PORT: String(port), ...set };
  const environment = Object.fromEntries(
    Object.entries({ PATH: process.env.PATH, HOME: process.env.HOME, ...wanted }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  try {
    const outcome = await start(environment, setUp);
    const plain = (text: string): string =>
      text
        .replaceAll(started.environment.PUBLIC_URL, 'https://bot.example.com')
        // The practice address has a path; that of most bots has none.
        .replaceAll('with /bot stripped from the path', 'with the path unchanged')
        .replaceAll(`PORT ${environment.PORT}`, 'PORT 3000')
        .replaceAll(`port ${environment.PORT}`, 'port 3000')
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/g, '2026-11-22T09:30Z')
        .replace(/\b\d{3} s ahead/g, '200 s ahead');
    expect(`${outcome.doctor.join()}${outcome.said}`).not.toMatch(/hunter2| {4}at /);
    return sectionWith(name, outcome.doctor.map(plain), { ...outcome, said: plain(outcome.said) });
  } finally {
    started.close();
    await database?.drop();
    for (const stop of stops.splice(0).reverse()) await stop();
  }
}

type Outcome = Awaited<ReturnType<typeof start>>;

function sectionWith(name: string, doctor: readonly string[], outcome: Outcome): string {
  const fence = (text: string) => `\n\n\`\`\`text\n${text}\n\`\`\``;
  const warned = outcome.warnings.join('\n');
  const said = outcome.serves
    ? `\`npm start\` runs${warned === '' ? '.' : `, and warns:${fence(warned)}`}`
    : `\`npm start\` exits with code ${outcome.code}:${fence(outcome.said)}`;
  const found = doctor.length === 0 ? 'finds no problem.' : `prints:${fence(doctor.join('\n'))}`;
  return `## ${name}\n\n\`npm run doctor\` ${found}\n\n${said}\n`;
}

const intro = `# Configuration problems

What \`npm run doctor\` and \`npm start\` print for each problem, word for word: search this page for a line you see. \`npm run test:faults --
test/commands/set-ups.slow.test.ts\` creates each of these problems and compares the output; with \`-u\` at the end, it updates this page.
[operating.md](operating.md#by-symptom) starts from what people notice.
`;

const sections = new Map<string, string>();

test.for(Object.keys(setUps).filter((name) => !needs.has(name)))(
  'an admin sees what is wrong and what to do: %s',
  async (name) => {
    sections.set(name, await sectionOf(name));
  },
);

test.skipIf(needs.size > 0)('docs/troubleshooting.md quotes their output word for word', async () => {
  const page = [intro, ...Object.keys(setUps).map((name) => sections.get(name) ?? `## ${name}\n`)].join('\n');

  await expect(page).toMatchFileSnapshot('../../docs/troubleshooting.md');
});

test.skipIf(encryptingNeeds !== null)(
  'an admin who names any sslmode of libpq reads no warning of pg',
  async () => {
    const server = await startEncryptingPostgres();
    const said = await Promise.all(
      ['prefer', 'require', 'verify-ca', 'verify-full'].map(async (mode) => {
        const DATABASE_URL = `${server.url}?sslmode=${mode}&sslrootcert=${server.authority}`;
        return (await runCommand('src/commands/release.ts', [], { ...environment, DATABASE_URL })).stderr;
      }),
    );
    await server.stop();

    expect(said).toEqual(['', '', '', '']);
  },
);
