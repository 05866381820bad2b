import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  visitEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';
import {
  DataDirInUseError,
  EmbeddedPostgresError,
} from '../../src/embedded-postgres/embedded-postgres-error.ts';
import { connect } from '../../src/store/database.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { recordingLog, silentLog } from '../support/log.ts';

const run = promisify(execFile);

// Every start runs several processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder: string;
let dataDir: string;
const bots: BotProcess[] = [];
const servers: EmbeddedPostgres[] = [];

/** A database that was created and stopped, to copy from: creating one takes longer than the rest of a test. */
let made: string;

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'plancast-embedded-made-'));
  await run('chmod', ['755', made]);
  const server = await startEmbeddedPostgres({ dataDir: join(made, 'data'), log: silentLog });
  await server.stop();
});

afterAll(() => rm(made, { recursive: true }));

beforeEach(async () => {
  // Not 0700, which mkdtemp sets: when started as root, the server runs as another user. users.slow.test.ts covers that case.
  folder = await mkdtemp(join(tmpdir(), 'plancast-embedded-'));
  await run('chmod', ['755', folder]);
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const bot of bots.splice(0)) await bot.kill();
  for (const server of servers.splice(0)) await server.stop();
  await endLeftServer();
  await rm(folder, { recursive: true });
});

function startBot(): BotProcess {
  const bot = startBotProcess({ dataDir });
  bots.push(bot);
  return bot;
}

async function copyMade(): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true });
  await run('cp', ['-a', join(made, 'data'), dataDir]);
}

async function startHere(options: { log?: typeof silentLog } = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog, ...options });
  servers.push(server);
  return server;
}

async function serverPid(): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

async function endLeftServer(): Promise<void> {
  const pid = await serverPid();
  if (pid === undefined || !isAlive(pid)) return;
  process.kill(pid, 'SIGQUIT');
  await expect.poll(() => isAlive(pid)).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function query(url: string | undefined, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Counts the servers that run on this folder, according to the kernel. */
async function serversOnFolder(): Promise<number> {
  const cluster = await realpath(join(dataDir, 'postgres'));
  const { stdout } = await run('ps', ['-eo', 'args', '-ww']);
  return stdout.split('\n').filter((line) => line.includes(`postgres -D ${cluster} `)).length;
}

test('a first start creates the database, and a second one has what was stored', async () => {
  const first = await startHere();
  await query(first.url, 'create table kept (value text)');
  await query(first.url, `insert into kept values ('kept')`);
  await first.stop();
  const began = performance.now();
  const second = await startHere();
  const took = performance.now() - began;
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 'kept' }]);
  // About 200 ms on an idle machine; the bound leaves room for a busy one.
  expect(took).toBeLessThan(5_000);
});

test('committed data is on disk, and the server does not listen on the network', async () => {
  await copyMade();
  const { url } = await startHere();
  const names = [
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'data_checksums',
    'listen_addresses',
    'max_connections',
  ];
  const settings = await query(
    url,
    `select name, setting from pg_settings where name in (${names.map((name) => `'${name}'`).join()})`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '',
    max_connections: '100',
  });
  const [{ server_encoding: encoding } = {}] = await query(url, 'show server_encoding');
  expect(encoding).toBe('UTF8');
});

test('another user of the machine finds no data, no password and no open socket', async () => {
  await copyMade();
  const { connection } = await startHere();
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  expect(await modeOf(join(dataDir, 'postgres'))).toBe(0o700);
  expect(await modeOf(join(dataDir, 'postgres', 'plancast-password'))).toBe(0o600);
  expect(await modeOf(connection.host)).toBe(0o700);
  expect(await modeOf(join(dataDir, 'postgres.log'))).toBe(0o600);
  const { stdout } = await run('ps', ['-eo', 'args', '-ww']);
  expect(stdout).not.toContain(connection.password);
});

test('without the password the server lets nobody in', async () => {
  await copyMade();
  const { connection } = await startHere();
  const client = new pg.Client({ ...connection, password: 'guess' });
  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
});

test('nothing that people sent appears in the log of the server', async () => {
  await copyMade();
  const { url } = await startHere();
  await query(url, 'create table secret (value text primary key)');
  await query(url, `insert into secret values ('xoxb-find-me')`);
  await expect(query(url, `insert into secret values ('xoxb-find-me')`)).rejects.toThrow('duplicate');
  await expect(query(url, `select 'xoxb-find-me' from nowhere`)).rejects.toThrow('nowhere');
  // When a process crashes, Postgres logs the statement it was running.
  const crashing = new pg.Client({ connectionString: url });
  crashing.on('error', () => undefined);
  await crashing.connect();
  const [{ pid } = {}] = (await crashing.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  const crashed = expect(crashing.query(`select 'xoxb-find-me', pg_sleep(60)`)).rejects.toThrow();
  await expect
    .poll(() => query(url, `select wait_event from pg_stat_activity where pid = ${pid}`))
    .toEqual([{ wait_event: 'PgSleep' }]);
  process.kill(pid ?? 0, 'SIGKILL');
  await crashed;
  const logged = (): Promise<string> => readFile(join(dataDir, 'postgres.log'), 'utf8');
  await expect.poll(logged).toContain('was terminated by signal 9');
  const log = await logged();
  expect(log).not.toContain('xoxb');
});

test('stopping waits until the server is gone and everything is written', async () => {
  await copyMade();
  const server = await startHere();
  const idle = new pg.Client({ connectionString: server.url });
  idle.on('error', () => undefined);
  await idle.connect();
  expect(await serversOnFolder()).toBe(1);
  await server.stop();
  expect(await serversOnFolder()).toBe(0);
  expect(await serverPid()).toBeUndefined();
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\n$/);
});

test('Ctrl-C in a terminal, which reaches the whole process group, does not reach the server', async () => {
  await copyMade();
  await startHere();
  const { stdout } = await run('ps', ['-o', 'pgid=,sid=', '-p', `${await serverPid()}`]);
  const [group, session] = stdout.trim().split(/\s+/).map(Number);
  expect(group).toBe(await serverPid());
  expect(session).toBe(await serverPid());
});

test('a bot killed with -9 leaves its server to the next one, with everything that was committed', async () => {
  await copyMade();
  const bot = startBot();
  const { url } = await bot.answer;
  const pid = await serverPid();
  await query(url, 'create table kept as select 1 as value');
  await bot.kill();
  const next = await startHere();
  expect(await serverPid()).toBe(pid);
  expect(await query(next.url, 'select value from kept')).toEqual([{ value: 1 }]);
  expect(await serversOnFolder()).toBe(1);
  await next.stop();
  expect(await serversOnFolder()).toBe(0);
});

test('after a kill -9 of bot and server together, the next start recovers', async () => {
  await copyMade();
  const bot = startBot();
  const { url } = await bot.answer;
  await query(url, 'create table kept as select 1 as value');
  process.kill((await serverPid()) ?? 0, 'SIGKILL');
  await bot.kill();
  const next = await startHere();
  expect(await query(next.url, 'select value from kept')).toEqual([{ value: 1 }]);
});

test('a bot killed with -9 at any moment of its first start leaves a folder that the next one can use', async () => {
  for (const moment of [350, 600, 800, 1_000, 1_300]) {
    const bot = startBot();
    await new Promise((resolve) => setTimeout(resolve, moment));
    await bot.kill();
  }
  const next = await startHere();
  expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await serversOnFolder()).toBe(1);
});

test('a half-created database from long ago is removed', async () => {
  const draft = join(dataDir, 'postgres-draft-abc');
  await mkdir(draft, { recursive: true });
  const long = new Date(Date.now() - 3_600_000);
  await utimes(draft, long, long);
  await run('chmod', ['755', dataDir]);
  await startHere();
  expect((await readdir(dataDir)).toSorted()).toEqual(['postgres', 'postgres-socket', 'postgres.log']);
});

test('a second bot on the same folder is refused in one sentence that names the folder and the other process', async () => {
  await copyMade();
  const bot = startBot();
  const { url } = await bot.answer;
  const pid = await serverPid();
  const refusal = await startEmbeddedPostgres({ dataDir, log: silentLog }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DataDirInUseError);
  expect(String(refusal)).toMatch(/^DataDirInUseError: [^.]*\bstop that one or set another DATA_DIR\.$/);
  expect(String(refusal)).toContain(`${dataDir} (DATA_DIR) is already in use by process ${bot.pid}`);
  expect(await serverPid()).toBe(pid);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('of three bots started at the same moment on an empty folder, one runs and the others are refused', async () => {
  const answers = await Promise.all([startBot(), startBot(), startBot()].map(({ answer }) => answer));
  expect(answers.filter(({ url }) => url !== undefined)).toHaveLength(1);
  expect(answers.flatMap(({ refused }) => refused ?? [])).toEqual(['DataDirInUseError', 'DataDirInUseError']);
  expect(await serversOnFolder()).toBe(1);
  expect((await readdir(dataDir)).toSorted()).toEqual(['postgres', 'postgres-socket', 'postgres.log']);
});

test('a SIGTERM to the bot alone ends it and its server', async () => {
  await copyMade();
  const bot = startBot();
  await bot.answer;
  expect(await serversOnFolder()).toBe(1);
  expect(await bot.end()).toBe(0);
  expect(await serversOnFolder()).toBe(0);
});

test('a pid file from before a reboot, whose pid now belongs to another process, does not keep the bot from starting', async () => {
  await copyMade();
  const first = await startHere();
  await first.stop();
  const cluster = join(dataDir, 'postgres');
  const { uid, gid } = await stat(cluster);
  // Owned by the server's user, so Postgres itself would take it for a server.
  const stranger = spawn('sleep', ['60'], {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
  const note = [stranger.pid, cluster, 1, 5432, `${cluster}-socket`, '', '  12345 67890', 'ready   '].join(
    '\n',
  );
  for (const file of [join(cluster, 'postmaster.pid'), join(`${cluster}-socket`, '.s.PGSQL.5432.lock')]) {
    await writeFile(file, `${note}\n`);
    await run('chown', [`${uid}:${gid}`, file]);
  }
  try {
    const second = await startHere();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
    expect(stranger.exitCode).toBeNull();
  } finally {
    stranger.kill();
  }
});

test('a server that is killed with -9 is restarted, and the bot keeps working without a restart', async () => {
  await copyMade();
  const log = recordingLog();
  const server = await startHere({ log });
  const database = connect({ connection: server.connection, log: silentLog });
  await database.pool.query('create table kept as select 1 as value');
  const pid = (await serverPid()) ?? 0;
  process.kill(pid, 'SIGKILL');
  await expect
    .poll(() => database.pool.query('select value from kept').then(({ rows }) => rows, String), {
      timeout: 15_000,
      interval: 100,
    })
    .toEqual([{ value: 1 }]);
  await expect.poll(() => log.lines.map(([message]) => message)).toContain('the embedded Postgres is back');
  await expect(startEmbeddedPostgres({ dataDir, log: silentLog })).rejects.toThrow(DataDirInUseError);
  expect(await serversOnFolder()).toBe(1);
  await database.close();
});

test('a bot that is stopped while its server is being restarted leaves no server behind', async () => {
  await copyMade();
  // During the wait before the restart, and during the restart itself after 2 s.
  for (const moment of [100, 2_050]) {
    const server = await startHere();
    process.kill((await serverPid()) ?? 0, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, moment));
    await server.stop();
    expect(await serversOnFolder()).toBe(0);
  }
});

test('a folder whose path is too long for a socket works, and other users cannot reach its socket', async () => {
  dataDir = join(folder, 'a'.repeat(100), 'b'.repeat(100));
  await copyMade();
  const bot = startBot();
  const { url } = await bot.answer;
  const socket = new URL(url ?? '').searchParams.get('host') ?? '';
  expect(socket.startsWith(dataDir)).toBe(false);
  expect((await stat(socket)).mode & 0o777).toBe(0o700);
  await expect(startEmbeddedPostgres({ dataDir, log: silentLog })).rejects.toThrow(DataDirInUseError);
  await bot.kill();
  const next = await startHere();
  expect(next.connection.host).toBe(socket);
  await next.stop();
  await expect(stat(socket)).rejects.toThrow('ENOENT');
});

test('a folder with spaces, quotes and commas in its name works', async () => {
  dataDir = join(folder, `it's "my", folder é`);
  const { url } = await startHere();
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('data of another major release of Postgres is left alone, and the error says what to do', async () => {
  await copyMade();
  const first = await startHere();
  await first.stop();
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n');
  const refusal = await startEmbeddedPostgres({ dataDir, log: silentLog }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
  expect(String(refusal)).toMatch(/are from Postgres 12, .* pg_dump/);
});

test('a server that cannot start says why', async () => {
  await copyMade();
  const first = await startHere();
  await first.stop();
  await rm(join(dataDir, 'postgres', 'global'), { recursive: true });
  const refusal = await startEmbeddedPostgres({ dataDir, log: silentLog }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
  expect(String(refusal)).toContain('global');
}, 30_000);

test('a bot that is stopped while its server recovers from a crash of one of its processes stops quickly', async () => {
  await copyMade();
  for (const moment of [10, 100]) {
    const server = await startEmbeddedPostgres({ dataDir, log: silentLog });
    servers.push(server);
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const [{ pid } = {}] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
    process.kill(pid ?? 0, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, moment));
    const began = performance.now();
    await server.stop();
    // It usually takes a tenth of a second; a server that has to be killed takes five.
    expect(performance.now() - began).toBeLessThan(4_500);
    expect(await serversOnFolder()).toBe(0);
  }
});

test("an admin's command beside the bot uses its server and leaves it running", async () => {
  await copyMade();
  const bot = startBot();
  await bot.answer;
  const visit = await visitEmbeddedPostgres({ dataDir, log: silentLog });
  expect(await query(visit.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await visit.stop();
  expect(isAlive((await serverPid()) ?? 0)).toBe(true);
});

test("an admin's command without a bot starts a server while it runs, and no bot can start meanwhile", async () => {
  await copyMade();
  const visit = await visitEmbeddedPostgres({ dataDir, log: silentLog });
  servers.push(visit);
  await expect(startEmbeddedPostgres({ dataDir, log: silentLog })).rejects.toThrow(DataDirInUseError);
  await visit.stop();
  expect(await serversOnFolder()).toBe(0);
});

test('the socket is the only way in', async () => {
  await copyMade();
  const { connection } = await startHere();
  const outcome = await new Promise((resolve) => {
    const socket = dial({ path: join(connection.host, '.s.PGSQL.5432') }, () => {
      socket.destroy();
      resolve('open');
    });
  });
  expect(outcome).toBe('open');
  const inodes = await run('ls', ['-l', `/proc/${await serverPid()}/fd`]).then(({ stdout }) =>
    stdout.match(/socket:\[\d+\]/g),
  );
  const tcp = `${await readFile('/proc/net/tcp', 'utf8')}${await readFile('/proc/net/tcp6', 'utf8').catch(() => '')}`;
  for (const inode of inodes ?? []) expect(tcp).not.toContain(` ${inode.slice(8, -1)} `);
  expect(dirname(connection.host)).toBe(dataDir);
});

test('a bot whose port is taken on its first start leaves no unfinished database', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PUBLIC_URL: 'https://bot.example.com',
    SLACK_SIGNING_SECRET: 'secret',
    SLACK_BOT_TOKEN: 'xoxb-token',
    SERVICE_BASE_URL: 'https://service.example.com/v1',
    SERVICE_AUTH_URL: 'https://service.example.com',
    SERVICE_CLIENT_ID: 'plancast',
    SERVICE_CLIENT_SECRET: 'secret',
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: port,
  };
  try {
    const refusal = await run(process.execPath, ['src/main.ts'], { env }).catch((error: unknown) => error);
    expect(refusal).toHaveProperty('stderr', expect.stringContaining(`PORT ${port} is taken by another`));
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres-socket']);
  } finally {
    taken.close();
  }
});

test('PGSSLMODE, which an admin has set for other servers, does not keep the bot from its own', async () => {
  vi.stubEnv('PGSSLMODE', 'require');
  onTestFinished(() => void vi.unstubAllEnvs());
  await copyMade();

  const { connection } = await startHere();
  const { ping, close } = connect({ connection, log: silentLog });
  onTestFinished(close);

  await ping();
});
