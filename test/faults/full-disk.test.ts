import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { codeOf } from '../../src/lib/error-code.ts';
import { environment, runCommand } from '../commands/run-command.ts';
import { freePort } from '../support/child-bot.ts';
import { setStage } from '../support/stage.ts';

const needs = canMount() ? null : 'the right to mount a file system of 200 MB';
if (needs !== null) process.stderr.write(`skipped: a full disk needs ${needs}\n`);

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function fill(file: string): Promise<void> {
  for (const bytes of [1_048_576, 4_096, 1]) {
    for (;;) {
      const refused = await appendFile(file, Buffer.alloc(bytes)).then(() => null, codeOf);
      if (refused === 'ENOSPC') break;
      expect(refused).toBeNull();
    }
  }
}

test.skipIf(needs !== null)(
  'while the disk of the embedded database is full, the bot is not ready and the doctor says so; with room again, all arrives',
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'plancast-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=0755', 'tmpfs', disk]);
    const data = { DATABASE_URL: '', TOKEN_KEYS: '', DATA_DIR: join(disk, 'data') };
    const stage = await setStage({ name: 'full disk', bot: false });
    const metricsPort = await freePort();
    const bot = await stage.startChild({ env: { ...data, METRICS_PORT: String(metricsPort) } });
    onTestFinished(async () => {
      await bot.end('SIGINT');
      await stage.close();
      execFileSync('umount', [disk]);
      await rm(disk, { recursive: true });
    });
    const { slack, service, dana, plans } = stage;
    const readiness = () => fetch(`${bot.publicUrl}/readyz`).then(({ status }) => status);
    const upload = (name: string, person = 'sam@example.com') =>
      service.act(person, {
        action: 'create-file',
        project: 'Harbour Tower',
        parent: 'Plans',
        name,
      });
    const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await stage.link(dana, 'dana@example.com');
    await stage.type(dana, '/subscribe project 412-873-550');
    await slack.waitForMessage(plans, 'to this channel');

    await fill(join(disk, 'filler'));
    for (let n = 0; n < 200; n++) upload(`Lost ${n}.pdf`);
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    const doctor = await runCommand('src/commands/doctor.ts', [], { ...environment, ...data });

    expect(await metrics()).toMatch(/^plancast_notifications_total\{result="busy"\} [1-9]/m);
    expect(doctor.stdout).toMatch(
      /^FAULT {4}database: it has no room left on its disk\. Remedy: make room there/m,
    );
    expect(doctor.code).toBe(1);
    expect(await fetch(`${bot.publicUrl}/healthz`).then(({ status }) => status)).toBe(200);

    await rm(join(disk, 'filler'));
    await expect.poll(readiness, { timeout: 30_000 }).toBe(200);
    // Sam's are repeated meanwhile, and combined in few messages.
    upload('Kept.pdf', 'dana@example.com');
    await slack.waitForMessage(plans, 'Kept.pdf', 30_000);
  },
);
