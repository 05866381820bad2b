import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Drill, setDrill } from './support/drill.ts';

const stoodBy = /"address":"(http[^"]+)".*"msg":"standing by: the database was restored from a backup/;

let drill: Drill;
beforeAll(async () => {
  drill = await setDrill('drill');
}, 120_000);
afterAll(() => drill?.close());

test('an operator tries a backup out at another address: production keeps its remote subscriptions and loses nothing, and the copy says why it does nothing', async () => {
  const { production, ofProduction, ofCopy } = drill;
  const before = drill.remotes();
  const restored = await drill.restore();

  const copy = await drill.startCopy('/healthz');
  await drill.change(20, 250);

  expect(restored).toContain('run `npm run take-over`');
  expect(drill.remotes()).toEqual(before);
  expect(drill.callsOfCopy()).toBe(0);
  await expect.poll(drill.delivery, { timeout: 20_000 }).toEqual({ lost: 0, extra: 0 });
  const statusOf = async (path: string) => (await fetch(`${copy.publicUrl}${path}`)).status;
  expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503]);
  expect(stoodBy.exec(copy.output())?.[1]).toBe(copy.publicUrl);
  expect(copy.output().split('standing by')).toHaveLength(2);
  expect(await drill.ask(copy.publicUrl, '/plancast status')).toMatch(
    /^I’m not working yet: .+take-over`\.$/s,
  );
  expect(await drill.ask(production.publicUrl, '/plancast status')).toContain('dana@example.com');
  const doctors = [await drill.run('doctor', [], ofCopy), await drill.run('doctor', [], ofProduction)];
  expect(doctors.map(({ code }) => code)).toEqual([1, 0]);
  expect(doctors.map(({ lines }) => lines.filter((line) => line.startsWith('FAULT')))).toEqual([
    [
      'FAULT    database: the bot stands by: the database was restored from a backup. Remedy: if it is to replace the bot there, stop that one and run `npm run take-over`.',
      `FAULT    public address: the bot behind ${copy.publicUrl} is not ready. Remedy: check its log.`,
    ],
    [],
  ]);
  expect((await drill.run('status', [], ofCopy)).lines[0]).toBe(
    'The bot is standing by: the database was restored from a backup.',
  );
});

test('the operator stops production and takes over: within a minute, the copy has the remote subscriptions and posts', async () => {
  const { production, ofCopy } = drill;
  expect(await production.end('SIGTERM')).toBe(0);

  const { code, stdout } = await drill.run('take-over', [], ofCopy);

  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining(`From now on, it serves ${ofCopy.PUBLIC_URL}.`),
  });
  const origins = () => drill.remotes().map(({ origin }) => origin);
  const all = drill.channels.map(() => ofCopy.PUBLIC_URL);
  await expect.poll(origins, { timeout: 60_000, interval: 100 }).toEqual(all);
  expect((await fetch(`${ofCopy.PUBLIC_URL}/readyz`)).status).toBe(200);
  await drill.change(10, 250);
  await expect.poll(drill.delivery, { timeout: 20_000 }).toEqual({ lost: 0, extra: 0 });
  expect(await drill.ask(ofCopy.PUBLIC_URL, '/plancast status')).toContain('dana@example.com');
});
