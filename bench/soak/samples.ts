import type pg from 'pg';
import type { SoakBot } from './bot-process.ts';
import { percentile } from './metrics.ts';
import type { MemoryReport } from './report-memory.ts';
import type { Sender } from './sender.ts';

/** The state at the end of a minute. Times in milliseconds, sizes in MiB. */
export type Sample = {
  readonly at: number;
  readonly accepted: number;
  /** Non-2xx answers since the last sample. */
  readonly refused: number;
  readonly unanswered: number;
  readonly accept: { readonly p50: number | null; readonly p99: number | null };
  readonly post: { readonly p50: number | null; readonly p99: number | null };
  readonly memory: readonly {
    readonly bot: string;
    readonly since: number | null;
    readonly report: MemoryReport | null;
  }[];
  readonly waiting: number;
  readonly tables: readonly TableSize[];
};

export type TableSize = {
  readonly name: string;
  readonly mib: number;
  readonly rows: number;
  readonly dead: number;
};

type SamplerDeps = {
  readonly pool: pg.Pool;
  readonly sender: Sender;
  readonly bots: readonly SoakBot[];
  readonly now: () => number;
};

/** Returns a function that samples the state since its last call. */
export function makeSampler({ pool, sender, bots, now }: SamplerDeps): () => Promise<Sample> {
  let before = { at: new Date(now()), accepted: 0, refused: 0, unanswered: 0, latencies: 0 };

  return async () => {
    const at = new Date(now());
    const figures = sender.figures();
    const refused = total(figures.refused);
    const unanswered = total(figures.unanswered);
    const latencies = sender.latencies.slice(before.latencies).map(({ ms }) => ms);
    const sample: Sample = {
      at: at.getTime(),
      accepted: figures.accepted - before.accepted,
      refused: refused - before.refused,
      unanswered: unanswered - before.unanswered,
      accept: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
      post: await postTimes(pool, before.at, at),
      memory: await Promise.all(
        bots.map(async (bot) => ({ bot: bot.name, since: bot.since(), report: await bot.memory() })),
      ),
      waiting: await waitingEvents(pool),
      tables: await tableSizes(pool),
    };
    const { accepted } = figures;
    before = { at, accepted, refused, unanswered, latencies: before.latencies + latencies.length };
    return sample;
  };
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Returns the milliseconds from acceptance to post of everything posted in a time span. */
export async function postTimes(
  pool: pg.Pool,
  from: Date,
  to: Date,
): Promise<{ p50: number | null; p99: number | null }> {
  const { rows } = await pool.query<{ p50: number | null; p99: number | null }>(
    `select percentile_disc(0.5) within group (order by ms) as p50, percentile_disc(0.99) within group (order by ms) as p99
     from (select extract(epoch from posted_at - received_at)::float8 * 1000 as ms from plancast.events
       where state = 'posted' and posted_at > $1 and posted_at <= $2) as posted`,
    [from, to],
  );
  return rows[0] ?? { p50: null, p99: null };
}

/** Returns the number of events that are due to be posted. */
export async function waitingEvents(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from plancast.events where state = 'pending' and reason is null`,
  );
  return rows[0]?.count ?? 0;
}

async function tableSizes(pool: pg.Pool): Promise<TableSize[]> {
  const { rows } = await pool.query<TableSize>(
    `select schemaname || '.' || relname as name, pg_total_relation_size(relid)::float8 / 1048576 as mib,
       n_live_tup::int as rows, n_dead_tup::int as dead
     from pg_stat_user_tables order by 2 desc limit 8`,
  );
  return rows;
}
