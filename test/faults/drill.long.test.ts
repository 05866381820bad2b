import { expect, onTestFinished, test } from 'vitest';
import { setDrill } from './support/drill.ts';

/** A change every two seconds, in three channels, for ten minutes. */
const changes = { times: 300, everyMs: 2_000 };

test('a drill of ten minutes takes nothing from production, and the take-over afterwards loses nothing', async () => {
  const drill = await setDrill('long drill');
  onTestFinished(drill.close);
  const before = drill.remotes();
  await drill.restore();
  const copy = await drill.startCopy('/healthz');

  await drill.change(changes.times, changes.everyMs);
  const after = drill.remotes();
  const callsOfCopy = drill.callsOfCopy();
  await expect.poll(drill.delivery, { timeout: 20_000 }).toEqual({ lost: 0, extra: 0 });
  const warnings = copy.output().match(/"level":"(?:warn|error|fatal)".*/g) ?? [];

  await drill.production.end('SIGTERM');
  const began = performance.now();
  await drill.run('take-over', [], drill.ofCopy);
  const isCopys = () => drill.remotes().every(({ origin }) => origin === copy.publicUrl);
  await expect.poll(isCopys, { timeout: 60_000, interval: 100 }).toBe(true);
  const seconds = (performance.now() - began) / 1_000;
  await drill.change(10, changes.everyMs);
  await expect.poll(drill.delivery, { timeout: 20_000 }).toEqual({ lost: 0, extra: 0 });

  process.stderr.write(
    `drill: ${(changes.times * changes.everyMs) / 60_000} min, ${(changes.times + 10) * 3} notifications, ` +
      `${callsOfCopy} connections of the copy to the service, ${warnings.length} warning; ${seconds.toFixed(1)} s from take-over to all remote subscriptions\n`,
  );
  expect({ after, callsOfCopy }).toEqual({ after: before, callsOfCopy: 0 });
  expect(warnings).toEqual([expect.stringContaining('standing by')]);
}, 900_000);
