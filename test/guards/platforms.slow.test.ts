import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readEnv } from '../../src/env.ts';
import { keys, startSystems } from '../commands/systems.ts';
import { freePort } from '../support/child-bot.ts';
import { leastSettings } from '../support/least-settings.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { readText, root } from './source-files.ts';

/** Settings that an admin fills in, whatever the platform. */
const filledIn = { ...leastSettings, TOKEN_KEYS: keys };

const procfile = Object.fromEntries(
  [...readText('Procfile').matchAll(/^(\w+): (.+)$/gm)].map(([, name = '', command = '']) => [name, command]),
);

type Probe = { readonly httpGet: { readonly path: string } };
type Container = Readonly<Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe>>;
type Deployment = {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: { readonly role: string } };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
};

/** The pods of deploy/kubernetes.yaml, by role. */
const pods = Object.fromEntries(
  parseAllDocuments(readText('deploy/kubernetes.yaml'))
    .map((document) => document.toJS() as Deployment)
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec: { template } }) => [template.metadata.labels.role, template.spec]),
);

const [, healthCheck = '[]'] = /^HEALTHCHECK .*\n\s*CMD (\[.*\])$/m.exec(readText('Dockerfile')) ?? [];

/** Runs a command of a platform in its shell, with only this environment. */
function run(command: string, env: Record<string, string>) {
  const options = { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } };
  const child = spawn('sh', ['-c', `exec ${command.replace(/^(\w+=\w+) /, 'env $1 ')}`], options);
  return { child, output: text(child.stdout), ended: once(child, 'exit') };
}

test('a platform runs the lines of the Procfile: the release ends, and web and worker pass the probes of Kubernetes and the image until they are stopped', async () => {
  const database = await emptyDatabase('platform');
  const systems = await startSystems(database.url);
  onTestFinished(async () => {
    systems.close();
    await database.drop();
  });
  const released = run(procfile.release ?? '', systems.environment);
  expect(await released.ended).toEqual([0, null]);
  expect(await released.output).toContain('The tables are up to date.');

  for (const role of ['web', 'worker']) {
    const PORT = String(await freePort());
    const { child, ended } = run(procfile[role] ?? '', { ...systems.environment, PORT, HOST: '127.0.0.1' });
    const status = (path = '') =>
      fetch(`http://127.0.0.1:${PORT}${path}`).then((answer) => answer.status, String);
    const isHealthy = async () => {
      const [program = '', ...args] = JSON.parse(healthCheck) as string[];
      return once(spawn(program, args, { env: { PATH: process.env.PATH, PORT } }), 'exit');
    };
    const { containers: [container] = [], terminationGracePeriodSeconds = 0 } = pods[role] ?? {};
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      await expect.poll(() => status(probe?.httpGet.path), { timeout: 30_000 }).toBe(200);
    }
    expect(await status('/linked')).toBe(role === 'web' ? 200 : 404);
    expect(await isHealthy()).toEqual([0, null]);
    const stoppedAt = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - stoppedAt).toBeLessThan(terminationGracePeriodSeconds * 1_000);
    expect(await isHealthy()).toEqual([1, null]);
  }
});

test('the settings that app.json asks for are all that a platform with a database needs, and so are those of compose.yaml', () => {
  const app = JSON.parse(readText('app.json')) as { env: Record<string, { value?: string }> };
  const asked = Object.fromEntries(
    Object.entries(app.env).map(([name, { value }]) => [name, value ?? { ...filledIn }[name as never]]),
  );
  type Services = Record<'bot' | 'release', { readonly environment: Record<string, string> }>;
  const { services } = parse(readText('compose.yaml')) as { services: Services };
  const withPassword = JSON.parse(
    JSON.stringify(services.bot.environment).replace(/\$\{POSTGRES_PASSWORD:[^}]*\}/, 'secret'),
  ) as Record<string, string>;

  const onHeroku = readEnv({ ...asked, DATABASE_URL: 'postgres://u:p@db.example.com:5432/d' });
  const inCompose = readEnv({ ...filledIn, ...withPassword, TRUST_PROXY: String(withPassword.TRUST_PROXY) });

  expect(onHeroku.ok ? [] : onHeroku.faults).toEqual([]);
  expect(inCompose.ok ? [] : inCompose.faults).toEqual([]);
  expect(inCompose.ok && inCompose.env.database.url).toBe(
    'postgres://plancast:secret@postgres:5432/plancast',
  );
});
