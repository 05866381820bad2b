import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateTokenKey } from '../../src/store/sealing/token-keys.ts';
import { freePort } from '../support/child-bot.ts';
import { setStage } from '../support/stage.ts';
import { environment, runCommand } from './run-command.ts';

test('the commands work on the embedded database of a running bot without stopping it, and also when no bot runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-beside-'));
  const data = { DATABASE_URL: '', TOKEN_KEYS: '', DATA_DIR: join(folder, 'data') };
  const run = (file: string, ...args: string[]) => runCommand(file, args, { ...environment, ...data });
  const none = await run('src/commands/dead-letters.ts', 'list');
  expect(none).toMatchObject({ code: 69, stdout: '' });
  expect(none.stderr).toMatch(
    /^There is no embedded database in \S+ \(DATA_DIR\): `npm start` creates it\.\n$/,
  );

  const stage = await setStage({ name: 'beside a running bot', bot: false });
  const metricsPort = await freePort();
  const bot = await stage.startChild({
    env: { ...data, METRICS_PORT: String(metricsPort), LOG_LEVEL: 'trace' },
  });
  onTestFinished(async () => {
    // SIGKILL would leave its database running.
    await bot.end('SIGINT');
    await stage.close();
    await rm(folder, { recursive: true });
  });
  const { slack, service, dana, plans } = stage;
  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'to this channel');
  const [subscription] = service.subscriptions.all();
  slack.fault({ method: 'chat.postMessage', error: 'invalid_blocks', times: 2 });
  service.act('sam@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Plans',
    name: 'Kept.pdf',
  });

  await expect
    .poll(() => run('src/commands/dead-letters.ts', 'list'), { timeout: 15_000 })
    .toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\d+ {2}.+ invalid_blocks .+\n$/),
    });
  const resealed = await run('src/commands/keys.ts', 'reseal');
  expect(resealed).toMatchObject({ code: 0, stderr: '' });
  expect(resealed.lines).toContainEqual(
    expect.stringMatching(/^0 resealed, 5 under the first key already, 0 cannot be opened/),
  );

  const replayed = await run('src/commands/dead-letters.ts', 'replay', 'all');
  expect(replayed).toMatchObject({ code: 0, stdout: '1 of 1 will be retried.\n' });
  await slack.waitForMessage(plans, 'Kept.pdf');

  let lines: string[] = [];
  const readFigures = async () => {
    const figures = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(figures.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    lines = (await figures.text()).split('\n');
    return lines;
  };
  // The message is posted a moment before its event is marked.
  await expect.poll(readFigures, { timeout: 5_000 }).toContain('plancast_events_total{state="posted"} 1');
  expect(lines).toContain('plancast_notifications_total{result="stored"} 1');
  expect(lines).toContain('plancast_events_total{state="pending"} 1');
  expect(lines).toContain('plancast_events_total{state="dead"} 1');
  expect(lines).toContain('plancast_dead_letters 0');
  expect(lines).toContain('plancast_posts_total{outcome="refused"} 2');
  expect(lines).toContain('plancast_accept_seconds_count 1');
  expect(lines).toContain('plancast_event_to_post_seconds_count 0');
  const doctor = (signingSecret: string) =>
    runCommand('src/commands/doctor.ts', [], {
      ...environment,
      ...data,
      PUBLIC_URL: bot.publicUrl,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: 'xoxb-stage',
      SLACK_SIGNING_SECRET: signingSecret,
      SERVICE_BASE_URL: service.baseUrl,
      SERVICE_AUTH_URL: service.authUrl,
      SERVICE_CLIENT_SECRET: 'practice-client-secret',
    });
  const well = await doctor(stage.signingSecret);
  const ill = await doctor('another-signing-secret');
  expect(well.lines).toContain(`ok       public address: ${bot.publicUrl} leads to the bot.`);
  expect(well.lines).toContain('ok       service: it accepts the client id and secret.');
  expect(well.code).toBe(0);
  expect(ill.lines.filter((line) => line.startsWith('FAULT'))).toEqual([
    expect.stringContaining('has a different signing secret than the one set here'),
  ]);
  expect((await fetch(`${bot.publicUrl}/metrics`)).status).toBe(404);
  expect((await fetch(`${bot.publicUrl}/readyz`)).status).toBe(200);
  expect(await bot.end('SIGINT')).toBe(0);
  const secrets = [
    stage.signingSecret,
    'xoxb-stage',
    'practice-client-secret',
    new URL(subscription?.uri ?? '').pathname.split('/').at(-1) ?? '',
    subscription?.key ?? '',
    'dana@example.com',
    'sam@example.com',
    'Kept.pdf',
  ];
  expect(bot.output()).toContain('"msg":"dead letter"');
  expect(secrets.filter((secret) => secret === '' || bot.output().includes(secret))).toEqual([]);

  const keysFile = join(data.DATA_DIR, 'token-keys');
  const before = await readFile(keysFile, 'utf8');
  await writeFile(keysFile, `${generateTokenKey(new Date())},${before}`);
  const alone = await run('src/commands/keys.ts', 'reseal');
  const empty = await run('src/commands/dead-letters.ts', 'list');
  const again = await stage.startChild({ env: data });
  expect(await again.end('SIGINT')).toBe(0);

  expect(alone).toMatchObject({ code: 0, stderr: '' });
  expect(alone.lines).toContainEqual(expect.stringMatching(/^[2-9] resealed, 0 under the first key/));
  expect(empty).toMatchObject({ code: 0, stdout: '', stderr: 'There are no dead letters.\n' });
}, 180_000);
