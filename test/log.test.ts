import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { LogFields } from '../src/lib/log.ts';
import { makeLineWriter, makeLog } from '../src/log.ts';
import { makeBoltLogger } from '../src/slack/installing/web-clients.ts';
import { makeSealing } from '../src/store/sealing/sealing.ts';
import { sourceFiles } from './guards/source-files.ts';

/** Returns a log at its most verbose level, and the lines it has written. */
function listening() {
  const lines: string[] = [];
  const log = makeLog({ level: 'debug', write: (line) => lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

const accessToken = 'kR3v9QzLw0pXc7Tn5bYh2s';

/** Returns an error like those of network libraries, with everything they attach to it. */
function laden(message: string) {
  return Object.assign(new Error(message, { cause: new Error(`cause ${accessToken}`) }), {
    code: 'ERR_BAD',
    status: 401,
    request: { headers: { authorization: `Bearer ${accessToken}` } },
    response: { body: `{"access_token":"${accessToken}"}` },
    data: { refresh_token: accessToken },
    detail: `Key (account)=(dana@example.com)`,
  });
}

const sealing = makeSealing([{ id: 'k1', secret: Buffer.alloc(32) }]);

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('every line says when, how severe, and which release, role and process', () => {
  const lines: string[] = [];
  const every = { version: '1.2.3', role: 'worker' };
  makeLog({ level: 'info', every, write: (line) => lines.push(line) }).info({}, 'ready');

  const { time, ...line } = JSON.parse(lines[0] ?? '');
  expect(line).toEqual({ level: 'info', ...every, pid: process.pid, msg: 'ready' });
  expect(new Date(time).toISOString()).toBe(time);
});

test('an error of a library is logged with its type, code and origin, and without its message or anything attached to it', () => {
  const { log, lines, last } = listening();

  log.error({ err: laden('sent plans/Level 1 to dana@example.com') }, 'a page failed');

  expect(last()).toMatchObject({
    level: 'error',
    msg: 'a page failed',
    err: {
      type: 'Error',
      code: 'ERR_BAD',
      status: 401,
      cause: 'Error',
      stack: expect.stringContaining('test/log.test.ts'),
    },
  });
  expect(lines[0]).not.toContain(accessToken);
  expect(lines[0]).not.toMatch(/dana@example\.com|Level 1/);
  expect(lines[0]).not.toContain(process.cwd());
});

test.each([
  ['a token', `refused ${accessToken} twice`],
  ['a Slack token', 'refused xoxb-12-abc123 by Slack'],
  ['a code in a URL', 'GET https://x.example/oauth/callback?code=abc123&state=def456 failed'],
  ['a password in a URL', 'cannot reach postgres://plancast:abc123@db/plancast'],
  ['an email address', 'no account abc123@example.com'],
  ['a file name', 'ENOENT: no such file or directory, open abc123.pdf'],
  ['a name, with a line like a place in the sources', 'abc123\n    at src/abc123.ts:1:1'],
])('a reader of the log does not learn %s from an error of a library', (_what, said) => {
  const { log, lines } = listening();
  const renamed = new Error(said);
  renamed.message = 'something else';

  log.warn({ err: new Error(said) }, 'an error');
  log.warn({ err: new TypeError(said) }, 'an error of the language');
  log.error({ err: new Error('outer', { cause: new Error(said) }) }, 'a cause');
  log.error({ err: new AggregateError([new Error(said)], said) }, 'one of several');
  log.error({ err: Object.assign(new Error(said), { code: '22P02', severity: 'ERROR' }) }, 'a value refused');
  log.error({ err: Object.assign(new Error(), { data: { error: said } }) }, 'an answer of Slack');
  log.error({ err: said }, 'no error');

  expect(lines).toHaveLength(7);
  expect(lines.join('')).not.toMatch(/abc123|def456|kR3v9/);
});

test('what our own code and Postgres say of a failure can be read', () => {
  const { log, last } = listening();

  log.warn({ err: thrownBy(() => makeSealing([])) }, 'of the language');
  expect(last()).toHaveProperty('err.stack', expect.stringMatching(/^at makeSealing \(src\/store\/sealing/));
  expect(last()).not.toHaveProperty('err.message');
  log.warn({ err: thrownBy(() => sealing.keyIdOf('no seal')) }, 'ours');
  expect(last()).toMatchObject({
    err: { message: 'A sealed value cannot be opened: malformed.', reason: 'malformed' },
  });
  const refused = Object.assign(new Error('permission denied for schema plancast'), {
    severity: 'ERROR',
    code: '42501',
  });
  log.warn({ err: refused }, 'of Postgres');
  expect(last()).toMatchObject({ err: { message: 'permission denied for schema plancast', code: '42501' } });
});

test('a message in the sources names nothing but our own words', () => {
  const call = /\blog\??\.(?:debug|info|warn|error|fatal)\((?:[^;]|;(?!\n))*?`((?:[^`\\]|\\.)*)`,?\s*\)/g;
  const inserted = sourceFiles(['src']).flatMap(({ path, text: source }) =>
    [...source.matchAll(call)].flatMap(([, message = '']) =>
      [...message.matchAll(/\$\{(.*?)\}/g)].map(([, what]) => `${path}: ${what}`),
    ),
  );
  const ours = [
    'src/foundation.ts: said',
    'src/foundation.ts: remedy',
    'src/core/administering/standby.ts: why',
    'src/core/acts/follow-up-links.ts: what',
  ];

  expect(inserted).toContain('src/core/administering/standby.ts: why');
  expect(inserted.filter((one) => !ours.includes(one))).toEqual([]);
});

test('text that is not valid JSON is not quoted in the log, although V8 quotes it', () => {
  const { log, lines } = listening();
  const thrown = (() => {
    try {
      return JSON.parse('{"code":SHORT7}');
    } catch (error) {
      return error;
    }
  })();
  expect(String(thrown)).toContain('SHORT7');

  log.error({ err: thrown }, 'unreadable');

  expect(lines[0]).toContain('SyntaxError');
  expect(lines[0]).not.toContain('SHORT7');
});

test("a body of Slack that its client cannot read is not quoted in the log, although the client's error does", () => {
  const { log, lines } = listening();
  const answered = (error: string) =>
    Object.assign(new Error(`An API error occurred: ${error}`), { data: { ok: false, error } });
  log.warn({ err: answered('{"ok":true,"user":{"real_name":"Dana Reyes","n') }, 'cut off');
  log.warn({ err: answered('<!DOCTYPE html>\nplans/Level 1') }, 'a page');
  log.warn({ err: answered('channel_not_found') }, 'an error');
  makeBoltLogger(log).warn(
    'Failed to parse: SyntaxError: Unexpected token, "{"user":Plans" is not valid JSON',
  );
  makeBoltLogger(log).error(answered('<!DOCTYPE html>\nplans/Level 1'));

  expect(lines.join('')).not.toMatch(/Dana|DOCTYPE|Level|Plans/);
  expect(lines[2]).toContain('channel_not_found');
  expect(lines[3]).toContain('Failed to parse: SyntaxError');
});

test("ids, Slack's error words and names of errors stay readable", () => {
  const { log, last } = listening();
  const fields = {
    team: 'T0123456789',
    channel: 'C0123456789',
    subscription: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
    error: 'restricted_action_non_threadable_channel',
    code: '23505',
    reason: 'DatabaseUnreachableError',
  };

  log.warn(fields, 'post deferred');

  expect(last()).toMatchObject(fields);
});

test('a field that is not on the list is dropped, and so is one of another type', () => {
  const { log, last } = listening();
  const fields = { team: 'T1', body: 'all', headers: { cookie: 'x' }, request: { body: 'all' }, ms: '1 s' };

  log.info(fields as unknown as LogFields, 'said');

  expect(Object.keys(last())).toEqual(['level', 'time', 'pid', 'team', 'msg']);
});

test('a forged log line stays part of a field, and no control or bidirectional character is written raw', () => {
  const { log, lines, last } = listening();

  log.warn({ slack: 'one\n{"level":60,"msg":"forged"}\u001b[31m\u009b31m\u202egnp' }, 'two\r\nlines');

  expect(lines).toHaveLength(1);
  expect([...'\r\n\u001b\u009b\u202e'].filter((unseen) => lines[0]?.trimEnd().includes(unseen))).toEqual([]);
  expect(last()).toMatchObject({ level: 'warn', msg: 'two\r\nlines' });
});

test.each([
  ['letters', 'a b '],
  ['control characters, which take six bytes each', '\u0001'],
  ['emoji', '🏗 '],
  ['lone surrogates', '\ud800 '],
])('a line of %s is at most 8 kB long, and each of its fields 1 kB', (_what, piece) => {
  const { log, lines, last } = listening();
  const long = piece.repeat(100_000);
  const names = ['slack', 'error', 'reason', 'failure', 'warning', 'cause', 'outcome', 'team', 'channel'];
  const err = Object.assign(new Error(long), { code: long, status: long, severity: 'ERROR' });
  err.name = long;

  log.error({ err, ...Object.fromEntries(names.map((name) => [name, long])) }, long);

  expect(Buffer.byteLength(lines[0] ?? '')).toBeLessThanOrEqual(8_192);
  const tooLong = Object.entries(last()).filter(
    ([, value]) => Buffer.byteLength(JSON.stringify(value)) > 1_100,
  );
  expect(tooLong.map(([name]) => name)).toEqual([]);
  expect(last()).toMatchObject({ err: { code: expect.stringMatching(/…$/) } });
});

test('no logged value makes the log throw', () => {
  const { log, lines } = listening();
  const round: Record<string, unknown> = { big: 1n };
  round.self = round;

  for (const odd of [
    round,
    1n,
    Symbol('x'),
    () => 1,
    null,
    undefined,
    Number.NaN,
    new Date(Number.NaN),
    [],
  ]) {
    log.info({ slack: odd } as LogFields, 'odd');
    log.info({ err: odd }, 'odd');
  }
  log.error(Object.create(null), 'odd');

  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(lines.map(() => 'odd'));
  expect(lines).toHaveLength(19);
});

test('long text is cut at once', () => {
  const { log, lines } = listening();
  const worst = ['a', 'A', 'aB', '@', 'a@', ' ', '_', 'a_', '/', '://', 'bearer ', '?code=', '-0', 'x'];

  const started = performance.now();
  for (const piece of worst)
    log.info(
      { slack: `${piece.repeat(100_000)}!`, err: new Error(piece.repeat(100_000)) },
      piece.repeat(50_000),
    );

  expect(lines).toHaveLength(worst.length);
  expect((performance.now() - started) / worst.length).toBeLessThan(50);
});

/** Starts a process that logs a thousand lines and says on stderr when it is done. */
function talkative(stdout: 'pipe' | number): ChildProcessWithoutNullStreams {
  const source = `
    import { makeLog } from ${JSON.stringify(new URL('../src/log.ts', import.meta.url).href)};
    const log = makeLog({ level: 'info' });
    await new Promise((resolve) => process.stdin.once('data', resolve));
    for (let line = 0; line < 1000; line++) log.info({ team: 'T1' }, 'line');
    process.stderr.write('still here');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', stdout, 'pipe'],
  });
  // Its stdout is null when a file descriptor was passed; nothing reads it here.
  return child as ChildProcessWithoutNullStreams;
}

test('the bot keeps working when the reader of its log is gone', async () => {
  const child = talkative('pipe');
  child.stdout.destroy();
  child.stdin.write('go');
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

  expect(output).toBe('still here');
  expect(code).toBe(0);
});

test('the bot keeps working when the disk of its log is full', async () => {
  const full = openSync('/dev/full', 'w');
  const child = talkative(full);
  closeSync(full);
  child.stdin.write('go');
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

  expect(output).toBe('still here');
  expect(code).toBe(0);
});

test('a reader that comes back sees how many lines are missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plancast-log-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const write = makeLineWriter(pipe);
  const block = Buffer.alloc(1 << 20);

  for (let line = 0; line < 100; line++) write(`${'x'.repeat(8_000)}\n`);
  readSync(pipe, block);
  write('and on\n');
  const read = block.subarray(0, readSync(pipe, block)).toString();
  closeSync(pipe);
  rmSync(folder, { recursive: true });

  expect(read).toMatch(
    /\{"level":"warn","time":"20\S+Z","pid":\d+,"msg":"\d+ lines of the log could not be written"\}\nand on\n$/,
  );
});
