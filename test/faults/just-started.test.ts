import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';

async function setEmptyStage(name: string): Promise<Stage> {
  const stage = await setStage({ name, bot: false });
  onTestFinished(stage.close);
  return stage;
}

test('a command typed the moment a process is ready is answered, although the code for it is only loaded then', async () => {
  const stage = await setEmptyStage('just started');
  const { slack, dana, sam, ravi } = stage;
  const people = [dana, sam, ravi];
  await stage.startChild();

  const taken = await Promise.all(people.map((person) => stage.type(person, '/plancast help')));

  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const person of people) await slack.waitForEphemeral(person, '`/plancast subscribe`', 20_000);
});

test('code compiled a month ago is deleted once the process runs, and what this release compiled stays', async () => {
  const stage = await setEmptyStage('compile cache');
  const home = await mkdtemp(join(tmpdir(), 'plancast-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const former = join(home, '.cache', 'plancast', 'v22.18.0-x64-former');
  await mkdir(former, { recursive: true });
  const [old, recent] = [join(former, 'old'), join(former, 'recent')];
  for (const file of [old, recent]) await writeFile(file, 'compiled');
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  await utimes(old, daysAgo(31), daysAgo(31));
  await utimes(recent, daysAgo(29), daysAgo(29));

  await stage.startChild({ env: { HOME: home } });

  await expect.poll(() => readdir(former)).toEqual(['recent']);
  const kept = await readdir(join(home, '.cache', 'plancast'), { recursive: true });
  expect(kept.length).toBeGreaterThan(500);
});
