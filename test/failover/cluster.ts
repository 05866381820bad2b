import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Account, serverAccount } from '../../src/embedded-postgres/run-program.ts';
import { freePort } from '../support/child-bot.ts';
import { killAll, type Machine, makeMachine } from './machine.ts';
import type { Programs } from './programs.ts';

/** A Postgres of the cluster with its Patroni, on a machine of its own. */
export type ClusterNode = {
  readonly name: string;
  readonly machine: Machine;
  /** Carries everything from and to other machines; suspending it acts like a pulled cable. */
  readonly cable: Machine;
  /** Starts Patroni, which starts Postgres. */
  readonly start: () => Promise<void>;
  /** Connects directly to this Postgres, without the cable, for the checks of the test. */
  readonly url: string;
};

/** Three Postgres servers under Patroni, one of them a synchronous standby, with etcd, and HAProxy in front. */
export type Cluster = {
  readonly nodes: readonly ClusterNode[];
  /** How a bot connects: HAProxy routes to the primary, and closes connections to a server that is no longer primary. */
  readonly url: string;
  /** The same, except that connections to an unresponsive server stay open, as behind a floating address. */
  readonly leavingUrl: string;
  readonly leader: () => Promise<ClusterNode>;
  /** Asks Patroni to make another node the leader. Settles when it has. */
  readonly switchOver: (from: ClusterNode) => Promise<void>;
  /** Sets whether commits wait for a standby; settles once the leader does so. */
  readonly setSynchronous: (isSynchronous: boolean) => Promise<void>;
  /** Waits until all three are in sync, one of them synchronously. */
  readonly untilWhole: () => Promise<void>;
  /** Ends every process of the cluster. Kept logs are removed by the next run. */
  readonly stop: (options: { readonly keepLogs: boolean }) => Promise<void>;
};

const folderPrefix = 'plancast-failover-';
const names = ['one', 'two', 'three'] as const;
const wholeWithinMs = 90_000;
const run = promisify(execFile);

/** In seconds. Patroni's defaults are 30, 10 and 10; 20 is the minimum that its newer releases accept for `ttl`. */
const patience = { ttl: 20, loop_wait: 4, retry_timeout: 6 };

/** Starts the cluster on free loopback ports, in a folder of its own, and creates an empty database in it. */
export async function startCluster(programs: Programs): Promise<Cluster> {
  await removeLeftovers();
  const account = await serverAccount({ uid: process.getuid?.() ?? -1 });
  const folder = await mkdtemp(join(tmpdir(), folderPrefix));
  await writeFile(join(folder, 'owner'), String(process.pid));
  if (account) await chown(folder, account.uid, account.gid);
  // The person who runs the tests can read the logs; secret files in it have a mode of their own.
  await chmod(folder, 0o755);
  try {
    return await makeCluster(programs, folder, account);
  } catch (error) {
    await killAll(folder);
    throw new Error(`the cluster did not start: its logs are kept in ${folder}`, { cause: error });
  }
}

async function makeCluster(
  programs: Programs,
  folder: string,
  account: Account | undefined,
): Promise<Cluster> {
  const make = (name: string) => makeMachine(join(folder, name), account);
  const etcd = await startEtcd(programs, await make('etcd'));
  const nodes: (ClusterNode & Ports)[] = [];
  for (const name of names) {
    nodes.push(
      await makeNode(programs, { name, machine: await make(name), cable: await make(`cable-${name}`), etcd }),
    );
  }
  for (const { start } of nodes) await start();
  const proxy = await startProxy(programs, await make('proxy'), nodes);
  const members = () => membersSeenBy(nodes);

  const untilWhole = async (): Promise<void> => {
    for (const end = Date.now() + wholeWithinMs; !isWhole(await members()); await sleep(200)) {
      if (Date.now() > end) throw new Error(`the cluster does not heal: ${JSON.stringify(await members())}`);
    }
  };
  const leader = async (): Promise<ClusterNode & Ports> => {
    const found = (await members()).find(({ role }) => role === 'leader');
    const node = nodes.find(({ name }) => name === found?.name);
    if (!node) throw new Error('the cluster has no leader');
    return node;
  };
  await untilWhole();
  const database = await makeDatabase(await leader());
  const urlOn = (port: number) => `postgres://plancast:${database.password}@127.0.0.1:${port}/plancast`;
  return {
    nodes,
    url: urlOn(proxy.port),
    leavingUrl: urlOn(proxy.leavingPort),
    leader,
    untilWhole,
    async switchOver(from) {
      const to = (await members()).find(({ role }) => role === 'sync_standby');
      if (!to) throw new Error('there is no synchronous standby');
      const config = join(from.machine.folder, 'patroni.json');
      const args = ['-c', config, 'switchover', '--leader', from.name, '--candidate', to.name, '--force'];
      await run(programs.patronictl, args, { env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } });
    },
    async setSynchronous(isSynchronous) {
      const { cablePorts, url } = await leader();
      await fetch(`http://127.0.0.1:${cablePorts.rest}/config`, {
        method: 'PATCH',
        body: JSON.stringify({ synchronous_mode: isSynchronous }),
      });
      const end = Date.now() + wholeWithinMs;
      while (((await standbysWaitedFor(url)) !== '') !== isSynchronous) {
        if (Date.now() > end) throw new Error('the cluster does not change how it commits');
        await sleep(200);
      }
    },
    async stop({ keepLogs }) {
      await killAll(folder);
      if (keepLogs) process.stderr.write(`The cluster's logs are kept in ${folder}\n`);
      else await rm(folder, { recursive: true, force: true });
    },
  };
}

type Ports = {
  readonly cablePorts: { readonly postgres: number; readonly rest: number };
};

type NodeParts = {
  readonly name: string;
  readonly machine: Machine;
  readonly cable: Machine;
  readonly etcd: number;
};

const superuser = { username: 'postgres', password: randomBytes(12).toString('hex') };
const replication = { username: 'replicator', password: randomBytes(12).toString('hex') };

async function makeNode(
  programs: Programs,
  { name, machine, cable, etcd }: NodeParts,
): Promise<ClusterNode & Ports> {
  const own = { postgres: await freePort(), rest: await freePort() };
  const cablePorts = { postgres: await freePort(), rest: await freePort() };
  const etcdPort = await freePort();
  await writeFile(
    join(cable.folder, 'haproxy.cfg'),
    [
      ...plainProxy,
      ...passOn('postgres', cablePorts.postgres, own.postgres),
      ...passOn('rest', cablePorts.rest, own.rest),
      ...passOn('etcd', etcdPort, etcd),
      '',
    ].join('\n'),
  );
  await cable.run(programs.haproxy, ['-db', '-f', 'haproxy.cfg']);
  await writeFile(
    join(machine.folder, 'patroni.json'),
    JSON.stringify(patroniSettings({ name, own, cablePorts, etcdPort, programs, folder: machine.folder })),
  );
  return {
    name,
    machine,
    cable,
    cablePorts,
    start: () => machine.run(programs.patroni, ['patroni.json']),
    url: `postgres://${superuser.username}:${superuser.password}@127.0.0.1:${own.postgres}/postgres`,
  };
}

type NodeSettings = {
  readonly name: string;
  readonly folder: string;
  readonly programs: Programs;
  readonly own: Ports['cablePorts'];
  readonly cablePorts: Ports['cablePorts'];
  readonly etcdPort: number;
};

/** JSON is YAML, which Patroni reads. */
function patroniSettings({ name, folder, programs, own, cablePorts, etcdPort }: NodeSettings) {
  return {
    scope: 'plancast',
    name,
    restapi: { listen: `127.0.0.1:${own.rest}`, connect_address: `127.0.0.1:${cablePorts.rest}` },
    // As a proxy: otherwise etcd announces its own address, which bypasses the cable. Over the v3 API, Patroni 3.0 writes the leader key
    // without checking who holds it: a leader that was suspended takes the key from its successor, whose commits are then lost.
    etcd: { hosts: [`127.0.0.1:${etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ...patience,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${own.postgres}`,
      connect_address: `127.0.0.1:${cablePorts.postgres}`,
      data_dir: join(folder, 'data'),
      bin_dir: programs.postgres,
      pgpass: join(folder, 'pgpass'),
      use_unix_socket: true,
      authentication: { superuser, replication },
      parameters: {
        unix_socket_directories: folder,
        max_connections: 200,
        shared_buffers: '32MB',
        max_wal_size: '256MB',
        synchronous_commit: 'on',
        log_line_prefix: '%m [%p] %u ',
      },
      pg_hba: [
        'local all all scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
        `host replication ${replication.username} 127.0.0.1/32 scram-sha-256`,
      ],
    },
  };
}

const plainProxy = [
  'global',
  '  maxconn 1000',
  'defaults',
  '  mode tcp',
  '  timeout connect 3s',
  // Longer than any test, so that only the fault under test ends a connection.
  '  timeout client 1h',
  '  timeout server 1h',
];

function passOn(name: string, from: number, to: number): string[] {
  return [`listen ${name}`, `  bind 127.0.0.1:${from}`, `  server it 127.0.0.1:${to}`];
}

async function startEtcd(programs: Programs, machine: Machine): Promise<number> {
  const clients = await freePort();
  const peers = `http://127.0.0.1:${await freePort()}`;
  const address = `http://127.0.0.1:${clients}`;
  const settings = {
    name: 'etcd',
    'data-dir': join(machine.folder, 'data'),
    'listen-client-urls': address,
    'advertise-client-urls': address,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `etcd=${peers}`,
    'log-level': 'warn',
    'enable-v2': 'true',
    // Everything here shares one disk.
    'heartbeat-interval': '500',
    'election-timeout': '5000',
  };
  await machine.run(
    programs.etcd,
    Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  );
  // Patroni exits if etcd has not yet agreed on its cluster version.
  for (const end = Date.now() + wholeWithinMs; !(await isDecided(address)); await sleep(100)) {
    if (Date.now() > end) throw new Error('etcd does not start');
  }
  return clients;
}

async function isDecided(etcd: string): Promise<boolean> {
  const answer = await fetch(`${etcd}/version`).catch(() => null);
  return /"etcdcluster":"\d/.test((await answer?.text()) ?? '');
}

/** Configured as in Patroni's documentation, except for how often a server is checked. */
async function startProxy(
  programs: Programs,
  machine: Machine,
  nodes: readonly (ClusterNode & Ports)[],
): Promise<{ port: number; leavingPort: number }> {
  const port = await freePort();
  const leavingPort = await freePort();
  const toPrimary = (name: string, from: number, more: string) => [
    `listen ${name}`,
    `  bind 127.0.0.1:${from}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    `  default-server inter 1s fastinter 500ms fall 2 rise 1 ${more}`,
    ...nodes.map(
      ({ name: node, cablePorts }) =>
        `  server ${node} 127.0.0.1:${cablePorts.postgres} maxconn 200 check port ${cablePorts.rest}`,
    ),
  ];
  const settings = [
    ...plainProxy,
    '  timeout check 2s',
    ...toPrimary('primary', port, 'on-marked-down shutdown-sessions'),
    ...toPrimary('leaving', leavingPort, ''),
    '',
  ];
  await writeFile(join(machine.folder, 'haproxy.cfg'), settings.join('\n'));
  await machine.run(programs.haproxy, ['-db', '-f', 'haproxy.cfg']);
  return { port, leavingPort };
}

async function makeDatabase({ url }: ClusterNode): Promise<{ password: string }> {
  const password = randomBytes(12).toString('hex');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create role plancast login password '${password}'`);
    await client.query('create database plancast owner plancast');
  } finally {
    await client.end();
  }
  return { password };
}

async function standbysWaitedFor(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ names: string }>(
      `select current_setting('synchronous_standby_names') as names`,
    );
    return rows[0]?.names ?? '';
  } finally {
    await client.end();
  }
}

type Member = {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: unknown;
};

/** Returns the cluster as seen by the first Patroni that answers; empty if none does. */
async function membersSeenBy(nodes: readonly Ports[]): Promise<readonly Member[]> {
  for (const { cablePorts } of nodes) {
    try {
      const answer = await fetch(`http://127.0.0.1:${cablePorts.rest}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      });
      if (answer.ok) return ((await answer.json()) as { members: Member[] }).members;
    } catch {
      // Try the next node.
    }
  }
  return [];
}

function isWhole(members: readonly Member[]): boolean {
  const count = (wanted: string) => members.filter(({ role }) => role === wanted).length;
  return (
    members.length === names.length &&
    count('leader') === 1 &&
    count('sync_standby') === 1 &&
    members.every(({ role, state, lag }) =>
      role === 'leader' ? state === 'running' : /^(running|streaming)$/.test(state) && Number(lag ?? 0) < 1e6,
    )
  );
}

/** Removes the processes and folders of runs that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(tmpdir(), name);
    const owner = await readFile(join(folder, 'owner'), 'utf8').catch(() => undefined);
    if (owner === undefined || isAlive(owner)) continue;
    await killAll(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
