import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { variableNames } from '../../src/env.ts';
import { readText, root } from './source-files.ts';

type Fields = Readonly<Record<string, unknown>>;
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
type Container = {
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: Fields;
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Fields };
  readonly spec: {
    readonly selector?: Fields & { readonly matchLabels?: Fields };
    readonly template?: {
      readonly metadata?: { readonly labels: Fields };
      readonly spec: {
        readonly securityContext: Fields;
        readonly containers: readonly Container[];
        readonly terminationGracePeriodSeconds?: number;
      };
    };
  };
};

const scripts = (JSON.parse(readText('package.json')) as { scripts: Record<string, string> }).scripts;
const manifests = parseAllDocuments(readText('deploy/kubernetes.yaml')).map(
  (document) => document.toJS() as Manifest,
);
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
const compose = parse(readText('compose.yaml')) as { services: Record<string, Fields>; volumes: Fields };
const dockerfile = readText('Dockerfile');

test('every platform file is well-formed', () => {
  const files = globSync(['*.yaml', 'deploy/*.yaml', '.github/**/*.yml'], { cwd: root });

  expect(files.length).toBeGreaterThanOrEqual(6);
  const faults = files.flatMap((path) =>
    parseAllDocuments(readText(path)).flatMap(({ errors, warnings }) => [...errors, ...warnings]),
  );
  expect(faults).toEqual([]);
});

test('the image runs as its own user, has a health check on its port, and contains only what runs', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?:--from=\S+ )?(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );

  expect(dockerfile.indexOf('USER node')).toBeGreaterThan(dockerfile.lastIndexOf('COPY'));
  expect(dockerfile.indexOf('USER node')).toBeLessThan(dockerfile.indexOf('CMD'));
  expect(dockerfile).toMatch(/^HEALTHCHECK .*\n.*process\.env\.PORT \|\| 3000.*\/healthz/m);
  expect(dockerfile).toContain('npm ci --omit=dev');
  expect(new Set(copied)).toEqual(
    new Set(['package.json', 'package-lock.json', '.npmrc', 'LICENSE', '/app/node_modules', 'src']),
  );
  const [, flags = 'none'] = /^CMD \["node", (.*), "src\/main\.ts"\]$/m.exec(dockerfile) ?? [];
  const typed = flags.replaceAll(/[",]/g, '');
  expect(scripts.start).toContain(`node ${typed} `);
  expect(readText('Procfile')).toMatch(new RegExp(`^web:.* ${typed} .*\\nworker:.* ${typed} `, 'm'));
});

test('with compose the bot is behind TLS, has a read-only file system, and needs a database password', () => {
  const { bot = {}, proxy = {}, postgres = {} } = compose.services;

  expect(bot).toMatchObject({ init: true, read_only: true, cap_drop: ['ALL'], stop_grace_period: '30s' });
  expect(bot.ports).toBeUndefined();
  expect(postgres.ports).toBeUndefined();
  expect(proxy.command).toContain('bot:3000');
  expect(JSON.stringify(postgres)).toContain('POSTGRES_PASSWORD:?');
  const volumes = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes as string[]);
  expect(new Set(volumes.map((volume) => volume.split(':')[0]))).toEqual(
    new Set(Object.keys(compose.volumes)),
  );
});

test('Kubernetes probes paths that the bot answers, and routes to web processes only', () => {
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['plancast-web', 'plancast-worker']);
  for (const { spec } of deployments) {
    const pod = spec.template?.spec;
    const container = pod?.containers[0];
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
    expect(spec.template?.metadata?.labels).toEqual(spec.selector?.matchLabels);
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
    expect(container?.ports).toEqual([{ name: 'http', containerPort: 3000 }]);
    expect(container?.env).toEqual([{ name: 'ROLE', value: spec.selector?.matchLabels?.role }]);
    expect(pod).toMatchObject({
      terminationGracePeriodSeconds: 30,
      securityContext: { runAsNonRoot: true },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } }],
    });
  }
  const service = manifests.find(({ kind }) => kind === 'Service');
  expect(service?.spec.selector).toEqual({ app: 'plancast', role: 'web' });
});

test('app.json asks for variables that exist, and for processes that the Procfile has', () => {
  const app = JSON.parse(readText('app.json')) as { env: Fields; formation: Fields };
  const processes = [...readText('Procfile').matchAll(/^(\w+):/gm)].map(([, name]) => name);

  expect(Object.keys(app.env).filter((name) => !variableNames.some((known) => known === name))).toEqual([]);
  expect(processes).toEqual(expect.arrayContaining(Object.keys(app.formation)));
});

test('every workflow action is pinned to a commit, with its version beside it', () => {
  const used = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((path) =>
    [...readText(path).matchAll(/\buses: (.+)$/gm)].map(([, action = '']) => action),
  );

  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

test('workflows run scripts that exist, on three versions of Node, each with a timeout', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root });
  type Step = { readonly run?: string; readonly uses?: string };
  type Job = {
    readonly steps: readonly Step[];
    readonly strategy?: unknown;
    readonly 'timeout-minutes'?: number;
  };
  const workflows = files.map(
    (path) => parse(readText(path)) as { permissions: Fields; jobs: Record<string, Job> },
  );
  const jobs = workflows.flatMap(({ jobs }) => Object.values(jobs));
  const run = jobs.flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
  const named = run.flatMap((line) => /^npm (?:run )?(test|[\w:]+)$/.exec(line)?.[1] ?? []);

  expect(files.map((path) => path.split('/').at(-1)).toSorted()).toEqual([
    'faults.yml',
    'gallery.yml',
    'release.yml',
    'test.yml',
  ]);
  expect(named.filter((name) => name !== 'ci' && scripts[name] === undefined)).toEqual([]);
  expect(named).toEqual(
    expect.arrayContaining(['check', 'gallery', 'test', 'test:faults', 'test:faults:long']),
  );
  expect(workflows.filter(({ permissions }) => permissions?.contents === undefined)).toEqual([]);
  expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  expect(jobs.map(({ strategy }) => strategy)).toContainEqual({
    'fail-fast': false,
    matrix: { node: [22, 24, 26] },
  });
});
