import { expect, onTestFinished, test } from 'vitest';
import { refusePooler } from '../../src/store/pooler.ts';
import { environment, runCommand } from '../commands/run-command.ts';
import { ignored, poolerNeeds, startPooler } from '../support/pooler.ts';
import { emptyDatabase } from '../support/postgres.ts';

if (poolerNeeds !== null) process.stderr.write(`skipped: the pooler tests need ${poolerNeeds}\n`);

async function pooled(...args: Parameters<typeof startPooler>): Promise<string> {
  const { url, stop } = await startPooler(...args);
  onTestFinished(stop);
  return url;
}

const start = (url: string) =>
  runCommand('src/main.ts', [], { ...environment, DATABASE_URL: url, PORT: '0' });

test.skipIf(poolerNeeds !== null)(
  'a pooler in transaction mode is refused at the start in one sentence, with exit code 78',
  async () => {
    const url = await pooled('transaction');

    const { code, stderr } = await start(url);

    expect(stderr).toMatch(
      /^DATABASE_URL leads to a pooler in transaction mode, .+ pool_mode = session in PgBouncer\.\n$/,
    );
    expect(code).toBe(78);
  },
);

test.skipIf(poolerNeeds !== null)(
  'a pooler that rejects our startup parameters is reported at once, with the ones to allow',
  async () => {
    const { code, stderr } = await start(await pooled('session', ''));

    expect(stderr).toContain(
      `is behind a connection pooler that refuses the settings of this bot’s connections: `,
    );
    expect(stderr).toContain(`ignore_startup_parameters = ${ignored} in PgBouncer.\n`);
    expect(code).toBe(69);
  },
);

test.skipIf(poolerNeeds !== null)('a pooler in session mode works, and so does no pooler', async () => {
  const url = await pooled('session');
  const direct = await emptyDatabase('not pooled');

  const released = await runCommand('src/commands/release.ts', [], { ...environment, DATABASE_URL: url });
  await refusePooler({ connectionString: url });
  await refusePooler({ connectionString: direct.url });
  await direct.drop();

  expect(released).toMatchObject({ code: 0, stderr: '' });
});
