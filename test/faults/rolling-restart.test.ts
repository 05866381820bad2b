import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChildBot } from '../support/child-bot.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { assertClean, checkDelivery, readEvents, type Sent } from './checker.ts';
import { type Followed, follow, notify, undone } from './support/kill-scene.ts';

/** The last commit whose lanes were worked on as jobs of pg-boss. */
const previousRelease = '0d4156891ad29604300f37f05156ba9c0ab4427e';
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Unpacks the previous release next to the modules of this one; null where its commit is not there (a shallow clone). */
async function unpackPrevious(): Promise<{ entry: string; remove: () => Promise<void> } | null> {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-previous-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'release.tar');
    execFileSync('git', ['archive', '-o', archive, previousRelease, 'src', 'package.json'], {
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

const previous = existsSync(join(root, '.git')) ? await unpackPrevious() : null;
if (!previous) process.stderr.write(`skipped: the commit ${previousRelease} is not in this clone\n`);

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    name: 'rolling restart',
    emptyDatabase: true,
    bot: false,
    rateLimit: 'record',
  });
});
afterAll(async () => {
  await stage?.close();
  await previous?.remove();
});

/** Sends to all channels, four times a second, until it is stopped; a refused notification is sent again, as the service would. */
function startSending(followed: readonly Followed[], addresses: () => readonly string[]) {
  const sent: Sent[] = [];
  const under = new Set<Promise<void>>();
  let index = 0;
  let open = true;

  async function sendOne({ channel, path }: Followed, turn: number): Promise<void> {
    index += 1;
    const one = { notificationId: `rolling-${index}`, index, channel, subscription: path };
    for (const until = Date.now() + 20_000; Date.now() < until; await sleep(300)) {
      const [address = ''] = addresses().slice(turn % Math.max(1, addresses().length));
      const at = Date.now();
      const status = await notify(`${address}${path}`, one);
      sent.push({ ...one, at, status });
      if (status === 200) return;
    }
  }

  const sending = (async () => {
    for (let turn = 0; open; turn += 1) {
      for (const to of followed) {
        const one = sendOne(to, turn);
        under.add(one);
        void one.finally(() => under.delete(one));
      }
      await sleep(250);
    }
    await Promise.all(under);
  })();
  return {
    sent,
    async stop(): Promise<void> {
      open = false;
      await sending;
    },
  };
}

test.skipIf(!previous)(
  'a rolling restart from the release before, whose processes run beside new ones for a while, loses and doubles nothing',
  async () => {
    const entry = previous?.entry;
    const first = await stage.startChild({ entry });
    const second = await stage.startChild({ entry, env: { PUBLIC_URL: first.publicUrl } });
    const followed = await follow(stage, 6);
    const running: ChildBot[] = [first, second];
    const sending = startSending(followed, () => running.map(({ publicUrl }) => publicUrl));
    const replace = async (old: ChildBot): Promise<void> => {
      const fresh = await stage.startChild({ env: { PUBLIC_URL: first.publicUrl } });
      running.push(fresh);
      await sleep(4_000);
      running.splice(running.indexOf(old), 1);
      expect(await old.end('SIGTERM')).toBe(0);
    };
    await sleep(3_000);
    await replace(first);
    await sleep(3_000);
    await replace(second);
    await sleep(2_000);
    await sending.stop();
    const { pool } = stage.database.connect();
    await expect.poll(() => undone(pool), { timeout: 60_000 }).toEqual({ events: 0, lanes: 0 });

    const { sent } = sending;
    const events = await readEvents(pool);
    const result = checkDelivery({
      sent,
      events,
      messages: stage.slack.allMessages,
      tooFast: stage.slack.tooFast(),
    });

    process.stderr.write(`rolling restart: ${JSON.stringify(result.counts)}\n`);
    expect(new Set(events.map(({ notificationId }) => notificationId)).size).toBe(result.counts.accepted);
    assertClean(result);
  },
);
