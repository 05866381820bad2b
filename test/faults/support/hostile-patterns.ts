import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { memoryOf } from '../../../bench/stage/process-use.ts';
import { startFlags } from '../../../bench/stage/start-flags.ts';
import { bodyOf, notify } from '../../support/notify.ts';
import type { Stage } from '../../support/stage.ts';
import { follow } from './kill-scene.ts';

const perRequest = 250;
/** How often somebody else's channel is told of a change, in milliseconds: too seldom to be a burst, whose changes wait for an edit. */
const betweenOthersMs = 2_100;

export type HostileLoad = {
  /** As they are stored; earlier releases allowed more of them. */
  readonly patterns: readonly string[];
  readonly channels: number;
  readonly events: number;
  /** Characters in the path of each changed item. */
  readonly pathLength: number;
  readonly timeout: number;
};

export type HostileReport = {
  /** From a notification to its message in somebody else's channel, in milliseconds, while the hostile channels had changes waiting. */
  readonly others: { readonly count: number; readonly median: number; readonly slowest: number };
  /** From the last accepted notification until all of the hostile channels' events were settled. */
  readonly settledAfterSeconds: number;
  readonly posted: number;
  readonly messages: number;
  /** Messages that no event names: their changes were posted again. */
  readonly again: number;
  /** The largest memory that a process had, in MB. */
  readonly memory: number;
};

/** Sends changes to channels whose stored patterns are slow, and measures what it does to another channel. */
export async function endureHostile(stage: Stage, load: HostileLoad): Promise<HostileReport> {
  const { patterns, channels, timeout } = load;
  const { pool } = stage.database.connect();
  const first = await stage.startChild({ flags: startFlags });
  const second = await stage.startChild({ flags: startFlags });
  const followed = await follow(stage, channels + 1);
  const [other, ...hostile] = followed.map((one) => ({ ...one, uri: `${first.publicUrl}${one.path}` }));
  if (!other) throw new Error('no channel');
  const ids = hostile.map(({ channel }) => channel);
  await pool.query(
    `update plancast.subscriptions set filters = jsonb_set(filters, '{paths}', $2::jsonb) where channel_id = any($1)`,
    [ids, JSON.stringify(patterns)],
  );
  const waits: number[] = [];
  const end = new AbortController();
  const others = (async () => {
    for (let n = 0; !end.signal.aborted; n += 1) {
      waits.push(await timeToMessage(stage, other, `Other ${n}.pdf`));
      await sleep(betweenOthersMs);
    }
  })();
  for (const { uri } of hostile) await sendChanges(uri, load);
  const sentAt = performance.now();
  const pending = async () => {
    const { rows } = await pool.query<{ pending: number }>(
      `select count(*)::int as pending from plancast.events where channel_id = any($1) and state = 'pending'`,
      [ids],
    );
    return rows[0]?.pending;
  };
  let settledAt = Number.NaN;
  try {
    await expect.poll(pending, { timeout, interval: 500 }).toBe(0);
    settledAt = performance.now();
  } finally {
    end.abort();
    await others;
  }
  const settledAfterSeconds = Math.round((settledAt - sentAt) / 100) / 10;
  const { rows } = await pool.query<{ posted: number; named: string[] }>(
    `select count(*)::int as posted, array_agg(distinct message_ts) as named from plancast.events
     where channel_id = any($1) and state = 'posted'`,
    [ids],
  );
  const named = new Set(rows[0]?.named);
  const messages = stage.slack.allMessages.filter(
    ({ channelId, text }) => ids.includes(channelId) && /Sheet|\d files|\d changes/.test(text),
  );
  waits.sort((one, next) => one - next);
  return {
    others: {
      count: waits.length,
      median: Math.round(waits[waits.length >> 1] ?? 0),
      slowest: Math.round(waits.at(-1) ?? 0),
    },
    settledAfterSeconds,
    posted: rows[0]?.posted ?? 0,
    messages: messages.length,
    again: messages.filter(({ ts }) => !named.has(ts)).length,
    memory: Math.round(
      Math.max(
        ...(await Promise.all([first, second].map(({ pid }) => memoryOf(pid)))).map(({ peak }) => peak),
      ),
    ),
  };
}

async function sendChanges(uri: string, { events, pathLength }: HostileLoad): Promise<void> {
  for (let from = 0; from < events; from += perRequest) {
    const bodies = Array.from({ length: Math.min(perRequest, events - from) }, (_, index) => {
      const name = `Sheet ${from + index}.${index % 2 === 0 ? 'pdf' : 'dwg'}`;
      const folders = 'Root/'.padEnd(pathLength - name.length - 1, 'aaaaaaa/').replace(/\/$/, 'a');
      return bodyOf({ item: String(from + index), name, path: `${folders}/${name}` });
    });
    for (let at = 0; at < bodies.length; ) {
      // One body has 256 kB at most.
      const most = Math.max(1, Math.floor(200_000 / (pathLength + 600)));
      const answer = await fetch(uri, { method: 'POST', body: JSON.stringify(bodies.slice(at, at + most)) });
      await answer.body?.cancel();
      expect(answer.status).toBe(200);
      at += most;
    }
  }
}

/** Sends a change, and returns how long it took until its message was there, in milliseconds. */
async function timeToMessage(
  { slack }: Stage,
  { channel, uri }: { channel: string; uri: string },
  name: string,
): Promise<number> {
  const since = performance.now();
  expect(await notify(uri, { item: name, name })).toBe(200);
  await slack.waitForMessage(channel, name, 120_000);
  return performance.now() - since;
}
