import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDatabase } from '../../src/commands/doctor/check-database.ts';
import { readEnv } from '../../src/env.ts';
import { connect } from '../../src/store/database.ts';
import { environment } from '../commands/run-command.ts';
import { follow } from '../faults/support/kill-scene.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { someTestFailed } from '../support/failures.ts';
import { silentLog } from '../support/log.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { endureFailover, type Failover, type FailoverWorld } from './endure-failover.ts';
import { ways } from './fail-over.ts';
import { findPrograms } from './programs.ts';

const programs = findPrograms();
const why = 'missing' in programs ? programs.missing : null;
if (why !== null) process.stderr.write(`skipped: failover ${why}\n`);

/** Failovers of each kind; `.ci/run` does one. */
const rounds = Number(process.env.FAILOVER_ROUNDS ?? 5);
/** Notifications per second, to twice as many channels, so that no channel sees a burst, whose edits have a pace of their own. */
const perSecond = Number(process.env.FAILOVER_RATE ?? 100);
const slackAnswersAfterMs = 80;
/**
 * Seconds. The goal is 5 on an otherwise idle machine. On a busy one it must be less than a claim lasts, or a lane waited for a claim to
 * expire.
 */
const slowestPostSeconds = 14;

describe.skipIf(why !== null)('a Postgres cluster that fails over', () => {
  const results: Failover[] = [];
  let world: FailoverWorld;
  let cluster: Cluster | undefined;
  let stage: Stage | undefined;

  beforeAll(async () => {
    if ('missing' in programs) return;
    cluster = await startCluster(programs);
    stage = await setStageOn(cluster);
    world = await startBots(stage, cluster);
  });
  afterAll(async () => {
    try {
      await world?.pool.end();
      await stage?.close();
    } finally {
      await cluster?.stop({ keepLogs: someTestFailed() });
    }
    process.stderr.write(`\n${tableOf(results)}\n`);
  });

  describe.each(ways)('the leader is $name', (way) => {
    test.each(Array.from({ length: rounds }, (_, round) => round + 1))(
      'nothing is lost or posted twice, and every channel has its next post soon after the switch (%i)',
      async () => {
        const failover = await endureFailover(world, way, perSecond);
        results.push(failover);
        process.stderr.write(`${JSON.stringify({ ...failover, findings: failover.findings.slice(0, 3) })}\n`);
        expect(failover).toMatchObject({ lost: 0, outOfOrder: 0, ended: [] });
        expect(failover.doubled).toBeLessThanOrEqual(failover.unanswered);
        expect.soft(failover.lastPostsAfter).toBeLessThan(slowestPostSeconds);
      },
    );
  });

  test('the doctor warns while all standbys are asynchronous, and not while one of them is synchronous', async () => {
    const doctorSays = async (): Promise<string> => {
      const read = readEnv({ ...environment, DATABASE_URL: world.cluster.url });
      if (!read.ok) throw new Error(read.faults.join('\n'));
      const { findings } = await checkDatabase(read.env, () => new Date());
      return JSON.stringify(findings);
    };
    const warning = 'only asynchronous standbys';
    expect(await doctorSays()).not.toContain(warning);
    await world.cluster.setSynchronous(false);
    expect(await doctorSays()).toContain(warning);
    await world.cluster.setSynchronous(true);
    expect(await doctorSays()).not.toContain(warning);
  });
});

function setStageOn({ url }: Cluster): Promise<Stage> {
  const database = connect({ connection: { connectionString: url }, log: silentLog });
  return setStage({
    name: 'failover',
    bot: false,
    rateLimit: 'record',
    database: { url, connect: () => database, drop: () => database.close() },
  });
}

/** Starts a web process and a worker on each of the two routes to the primary. */
async function startBots(stage: Stage, cluster: Cluster): Promise<FailoverWorld> {
  const webs: ChildBot[] = [];
  const workers: ChildBot[] = [];
  // A supervisor restarts a process that ended because its database closed all connections, as a cluster does while it is forming.
  const start = (env: Readonly<Record<string, string>>) =>
    stage.startChild({ env }).catch(() => stage.startChild({ env }));
  for (const url of [cluster.url, cluster.leavingUrl]) {
    const env = {
      DATABASE_URL: url,
      LOG_LEVEL: 'warn',
      ...(webs[0] && { PUBLIC_URL: webs[0].publicUrl }),
    };
    const web = await start({ ...env, ROLE: 'web' });
    webs.push(web);
    workers.push(await start({ PUBLIC_URL: web.publicUrl, ...env, ROLE: 'worker' }));
  }
  stage.slack.botRequestUrl = `${webs[0]?.publicUrl}/slack/events`;
  const followed = await follow(stage, 2 * perSecond);
  stage.slack.fault({ method: 'chat.postMessage', delayMs: slackAnswersAfterMs, times: Infinity });
  const pool = new pg.Pool({ connectionString: cluster.url, max: 2 });
  pool.on('error', () => undefined);
  const judged = { sent: [], counts: { accepted: 0, lost: 0, doubled: 0, outOfOrder: 0 } };
  return { stage, cluster, pool, webs, workers, followed, judged };
}

/** Formats the results as the table in `docs/measured.md`. */
function tableOf(results: readonly Failover[]): string {
  const columns: readonly (keyof Failover)[] = [
    'way',
    'accepted',
    'refused',
    'lost',
    'doubled',
    'unanswered',
    'switchAfter',
    'refusesFor',
    'acceptsAfter',
    'postsAfter',
    'lastPostsAfter',
    'longestRest',
  ];
  const rows = results.map((result) => columns.map((column) => String(result[column])));
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
