import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../../../sandbox/demo/processes.ts';
import { type DemoProcess, startDemoProcess } from './demo-process.ts';

/** A demo starts in a few seconds, or more while other tests keep the machine busy. */
const patience = { timeout: 60_000, interval: 50 };

async function startedDemo(options?: Parameters<typeof startDemoProcess>[0]): Promise<DemoProcess> {
  const demo = await startDemoProcess(options);
  onTestFinished(async () => {
    await demo.end('SIGKILL');
    await rm(demo.temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return demo;
}

test('the page is up long before the bot is ready, and Ctrl-C leaves no process and no file', async () => {
  const demo = await startedDemo();
  const first = await fetch(demo.url);
  expect(first.status).toBe(200);
  expect(await first.text()).toContain('starting');
  expect(demo.said()).not.toContain('Everything is ready');
  await expect.poll(async () => (await fetch(demo.url)).text(), patience).toContain('Database');

  await expect.poll(demo.said, patience).toContain('Everything is ready');
  const family = await demo.family();
  expect(family.length).toBeGreaterThan(3);
  const began = performance.now();
  expect(await demo.end('SIGINT')).toBe(0);
  expect(performance.now() - began).toBeLessThan(15_000);
  expect(family.filter(isRunning)).toEqual([]);
  expect(await demo.leftBehind()).toEqual([]);
}, 90_000);

test('Ctrl-C while the database is being created ends everything too', async () => {
  const demo = await startedDemo();
  await expect.poll(async () => (await demo.family()).length, patience).toBeGreaterThan(2);
  const family = await demo.family();

  expect(await demo.end('SIGTERM')).toBe(0);
  expect(family.filter(isRunning)).toEqual([]);
  expect(await demo.leftBehind()).toEqual([]);
}, 90_000);

test('the demo ends with npm, which does not forward its signal', async () => {
  const demo = await startedDemo({ likeNpm: true });
  const family = await demo.family();
  expect(family.length).toBeGreaterThan(1);

  await demo.end('SIGTERM');
  await expect.poll(() => family.filter(isRunning), patience).toEqual([]);
  expect(await demo.leftBehind()).toEqual([]);
}, 90_000);

test('a demo that is killed takes the bot and its database with it, and the next one cleans up', async () => {
  const demo = await startedDemo();
  await expect.poll(demo.said, patience).toContain('Everything is ready');
  const family = await demo.family();
  const [killed] = await demo.leftBehind();

  await demo.end('SIGKILL');
  await expect.poll(() => family.filter(isRunning), patience).toEqual([]);
  expect(await demo.leftBehind()).toEqual([killed]);

  const next = await startedDemo({ temporary: demo.temporary });
  await expect.poll(next.leftBehind, patience).not.toContain(killed);
  expect(await next.end('SIGINT')).toBe(0);
}, 120_000);

test('when the bot ends unexpectedly, the terminal and the page say so in one sentence', async () => {
  const demo = await startedDemo();
  await expect.poll(async () => (await demo.family()).length, patience).toBeGreaterThan(1);
  const [, bot = 0] = await demo.family();
  process.kill(bot, 'SIGKILL');

  await expect.poll(demo.said, patience).toContain('The bot was ended by SIGKILL.');
  await expect
    .poll(async () => (await fetch(demo.url)).text(), patience)
    .toContain('The bot was ended by SIGKILL.');
  expect(await demo.end('SIGINT')).toBe(1);
  expect(await demo.leftBehind()).toEqual([]);
}, 90_000);
