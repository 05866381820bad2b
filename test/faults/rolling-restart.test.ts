import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { environment, runCommand } from '../commands/run-command.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { assertClean, checkDelivery, readEvents } from './checker.ts';
import { type Follower, type Load, startLoad } from './steady-load.ts';
import { type Followed, follow, unfinished } from './support/kill-scene.ts';

/** Releases to upgrade from. Their tables cannot be used by this one, nor this one's by them. */
const releases = [
  { name: 'migration 16, the last release', commit: 'fdcd6fb9da06edf84d226ed20fde6373a8a5463b' },
  { name: 'migrations 18 and 19 without 17', commit: 'ff7c3447c1362a18bc3b443aaceece7e9be10590' },
  { name: 'lanes that were jobs of pg-boss', commit: '0d4156891ad29604300f37f05156ba9c0ab4427e' },
];
const root = fileURLToPath(new URL('../..', import.meta.url));

const perSecond = 50;
const channels = 20;

/** Unpacks a release next to the current modules; returns null if its commit is missing (a shallow clone). */
async function unpack(
  commit: string,
): Promise<{ entry: string; folder: string; remove: () => Promise<void> } | null> {
  if (!existsSync(join(root, '.git'))) return null;
  const folder = await mkdtemp(join(tmpdir(), 'plancast-previous-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'release.tar');
    execFileSync('git', ['archive', '-o', archive, commit, 'src', 'package.json'], {
      cwd: root,
      stdio: 'ignore',
    });
    await mkdir(join(folder, 'release'));
    execFileSync('tar', ['-xf', archive, '-C', join(folder, 'release')]);
    await symlink(join(root, 'node_modules'), join(folder, 'release', 'node_modules'));
    return { entry: join(folder, 'release', 'src', 'main.ts'), folder, remove };
  } catch {
    await remove();
    return null;
  }
}

/** Puts a load balancer in front of the subscriptions, which sends each request to the next process that is up. */
function behindBalancer(followed: readonly Followed[], up: readonly ChildBot[]): Follower[] {
  let turn = 0;
  return followed.map(({ channel, path }) => ({
    channelId: channel,
    get uri() {
      turn += 1;
      return `${up[turn % up.length]?.publicUrl}${path}`;
    },
  }));
}

test('a restart process by process loses, duplicates and refuses nothing', { timeout: 240_000 }, async () => {
  const { stage, up, start, load } = await running();
  for (let replaced = 0; replaced < 2; replaced += 1) {
    await sleep(2_000);
    up.push(await start());
    await sleep(2_000);
    expect(await up.shift()?.end('SIGTERM')).toBe(0);
  }
  await load.stop();

  expect(load.tries.filter(({ status }) => status !== 200)).toEqual([]);
  await expectPostedOnce(stage, load, 'the same release');
});

test.for(releases)(
  'an upgrade waits until the processes of the earlier release have stopped, and loses and duplicates nothing: from $name',
  { timeout: 240_000 },
  async ({ name, commit }, { skip }) => {
    const older = await unpack(commit);
    if (!older) return skip(`the commit ${commit} is not in this clone`);
    onTestFinished(older.remove);
    const { stage, up, start, load } = await running(older.entry);
    await sleep(2_000);
    const release = () =>
      runCommand('src/commands/release.ts', [], {
        ...environment,
        PATH: process.env.PATH,
        DATABASE_URL: stage.database.url,
        DATA_DIR: older.folder,
      });

    const early = await release();
    for (const each of up) expect(await each.end('SIGTERM')).toBe(0);
    const released = await release();
    up.splice(0, 2, await start(), await start());
    await sleep(2_000);
    await load.stop();

    expect(early).toMatchObject({ code: 75, stdout: '' });
    expect(early.stderr).toContain('the bot still runs');
    expect(released).toMatchObject({ code: 0, stderr: '' });
    expect(released.stdout).toContain('Wrote a backup: ');
    // Between the two releases nobody listens; the service sends again.
    expect(new Set(load.tries.map(({ status }) => status))).toEqual(new Set([200, null]));
    await expectPostedOnce(stage, load, name);
  },
);

/** Starts two processes of a release, this one by default, behind a load balancer, and a steady load. */
async function running(entry?: string) {
  const stage = await setStage({ name: 'rolling restart', emptyDatabase: true, bot: false });
  onTestFinished(stage.close);
  const first = await stage.startChild({ entry });
  const { publicUrl: PUBLIC_URL } = first;
  const start = (of?: string) => stage.startChild({ entry: of, env: { PUBLIC_URL } });
  const up = [first, await start(entry)];
  const followed = await follow(stage, channels);
  const load = startLoad({ to: behindBalancer(followed, up), perSecond, firstIndex: 1 });
  onTestFinished(() => load.stop(0));
  return { stage, up, start, load };
}

/** Expects that whatever was accepted has become one event and is posted once, in order. */
async function expectPostedOnce(stage: Stage, load: Load, name: string): Promise<void> {
  const { pool } = stage.database.connect();
  await expect.poll(() => unfinished(pool), { timeout: 60_000 }).toEqual({ events: 0, lanes: 0 });
  const events = await readEvents(pool);
  const messages = stage.slack.allMessages;
  const result = checkDelivery({ sent: load.tries, events, messages, tooFast: stage.slack.tooFast() });
  const slowestMs = Math.round(Math.max(...load.tries.map(({ took }) => took)));
  process.stderr.write(`restart of ${name}: ${JSON.stringify({ ...result.counts, slowestMs })}\n`);
  expect(new Set(events.map(({ notificationId }) => notificationId)).size).toBe(result.counts.accepted);
  assertClean(result);
}
