import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { ChildBot } from '../support/child-bot.ts';
import { setStage } from '../support/stage.ts';
import { assertClean, checkDelivery, readEvents } from './checker.ts';
import { type Follower, startLoad } from './steady-load.ts';
import { type Followed, follow, unfinished } from './support/kill-scene.ts';

/** Releases to upgrade from, and to roll back to if they accept a database that a newer release has migrated. */
const releases = [
  { name: 'migration 16, the last release', commit: 'fdcd6fb9da06edf84d226ed20fde6373a8a5463b', back: true },
  {
    name: 'migrations 18 and 19 without 17',
    commit: 'ff7c3447c1362a18bc3b443aaceece7e9be10590',
    back: false,
  },
  {
    name: 'lanes that were jobs of pg-boss',
    commit: '0d4156891ad29604300f37f05156ba9c0ab4427e',
    back: false,
  },
];
const root = fileURLToPath(new URL('../..', import.meta.url));

const perSecond = 50;
const channels = 20;

/** Unpacks a release next to the current modules; returns null if its commit is missing (a shallow clone). */
async function unpack(commit: string): Promise<{ entry: string; remove: () => Promise<void> } | null> {
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
    return { entry: join(folder, 'release', 'src', 'main.ts'), remove };
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

test.for(releases)(
  'an upgrade process by process, and the rollback, loses, duplicates and refuses nothing: from $name',
  { timeout: 240_000 },
  async ({ name, commit, back }, { skip }) => {
    const older = await unpack(commit);
    if (!older) return skip(`the commit ${commit} is not in this clone`);
    onTestFinished(older.remove);
    const stage = await setStage({ name: 'rolling restart', emptyDatabase: true, bot: false });
    onTestFinished(stage.close);
    const { pool } = stage.database.connect();
    const first = await stage.startChild({ entry: older.entry });
    const { publicUrl: PUBLIC_URL } = first;
    const start = (entry?: string) => stage.startChild({ entry, env: { PUBLIC_URL } });
    const up = [first, await start(older.entry)];
    const followed = await follow(stage, channels);
    const load = startLoad({ to: behindBalancer(followed, up), perSecond, firstIndex: 1 });
    onTestFinished(() => load.stop(0));
    /** Starts a process of the other release, and ends the oldest one. */
    const replaceOne = async (entry?: string): Promise<void> => {
      await sleep(2_000);
      up.push(await start(entry));
      await sleep(2_000);
      expect(await up.shift()?.end('SIGTERM')).toBe(0);
    };
    for (const entry of [undefined, undefined, ...(back ? [older.entry, older.entry] : [])]) {
      await replaceOne(entry);
    }
    await load.stop();
    await expect.poll(() => unfinished(pool), { timeout: 60_000 }).toEqual({ events: 0, lanes: 0 });

    const events = await readEvents(pool);
    const result = checkDelivery({
      sent: load.tries,
      events,
      messages: stage.slack.allMessages,
      tooFast: stage.slack.tooFast(),
    });

    const slowestMs = Math.round(Math.max(...load.tries.map(({ took }) => took)));
    process.stderr.write(
      `rolling restart from ${name}: ${JSON.stringify({ ...result.counts, slowestMs })}\n`,
    );
    expect(load.tries.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(events.map(({ notificationId }) => notificationId)).size).toBe(result.counts.accepted);
    assertClean(result);
  },
);
