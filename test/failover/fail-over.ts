import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster, ClusterNode } from './cluster.ts';

/** A way in which a leader fails or steps down. */
export type Way = {
  readonly name: string;
  readonly begin: (leader: ClusterNode, cluster: Cluster) => Promise<void>;
  /** Brings the old leader back, once another leads. */
  readonly end: (leader: ClusterNode) => Promise<void>;
};

export const ways: readonly Way[] = [
  {
    name: 'killed with -9',
    begin: ({ machine }) => machine.kill(),
    end: (leader) => leader.start(),
  },
  {
    name: 'stopped',
    begin: ({ machine }) => machine.signal('SIGSTOP'),
    end: ({ machine }) => machine.signal('SIGCONT'),
  },
  {
    name: 'cut off',
    begin: ({ cable }) => cable.signal('SIGSTOP'),
    end: ({ cable }) => cable.signal('SIGCONT'),
  },
  {
    name: 'switched over',
    begin: (leader, cluster) => cluster.switchOver(leader),
    end: async () => undefined,
  },
];

/** How long the old leader stays away once another leads. */
const awayMs = 8_000;

/**
 * Takes the leader away, and brings it back once another server has led for some seconds.
 * @returns when the fault was made and when another server accepted writes, in milliseconds since the epoch
 */
export async function failOver(cluster: Cluster, way: Way): Promise<{ faultAt: number; switchedAt: number }> {
  const leader = await cluster.leader();
  const faultAt = Date.now();
  const switching = untilSwitched(cluster, leader);
  await way.begin(leader, cluster);
  const switchedAt = await switching;
  await sleep(awayMs);
  await way.end(leader);
  return { faultAt, switchedAt };
}

/** Resolves with the time at which a server other than the old leader accepts writes. */
async function untilSwitched({ nodes }: Cluster, old: ClusterNode): Promise<number> {
  const ending = new AbortController();
  const watches = nodes.filter((node) => node !== old).map(({ url }) => untilPrimary(url, ending.signal));
  try {
    return await Promise.any(watches);
  } finally {
    ending.abort();
    await Promise.allSettled(watches);
  }
}

async function untilPrimary(connectionString: string, ending: AbortSignal): Promise<number> {
  const client = new pg.Client({ connectionString, application_name: 'watching' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    while (!ending.aborted) {
      const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (rows[0]?.standby === false) return Date.now();
      await sleep(25);
    }
    throw new Error('it stayed a standby');
  } finally {
    await client.end();
  }
}
