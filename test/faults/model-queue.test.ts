import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChannel } from '../../src/core/channels/channel-facts.ts';
import { mostEvents } from '../../src/core/model/lane-card.ts';
import type { Notification } from '../../src/core/model/notification.ts';
import type { Channel } from '../../src/core/model/people.ts';
import { makeReceive } from '../../src/core/receiving/receive.ts';
import type { PostOutcome } from '../../src/core/slack.ts';
import { claimMs } from '../../src/jobs/dispatch.ts';
import { later } from '../../src/lib/durations.ts';
import type { Message } from '../../src/messages/text/message.ts';
import { type ConnectedDatabase, connectLanes, connectPipelined } from '../../src/store/database.ts';
import * as deadLetters from '../../src/store/tables/dead-letters.ts';
import { silentLog } from '../support/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { checkDelivery, itemName, type LoggedMessage, readEvents, type Sent } from './checker.ts';
import { makeTurns } from './support/turns.ts';

/** A fixed seed, so that a failure can be repeated; use other seeds for longer runs. */
const size = { runs: 100, commands: 30, seed: 42 };
/** When a claim is over, so that another process can take its lane. */
const overMs = claimMs + 1_000;
const start = Date.UTC(2026, 10, 21, 12);

let database: TestDatabase;
let connected: ConnectedDatabase;
let accepting: ReturnType<typeof connectPipelined>;
let lanesPool: ReturnType<typeof connectLanes>;
beforeAll(async () => {
  database = await freshDatabase('model queue');
  connected = database.connect();
  accepting = connectPipelined({ connection: { connectionString: database.url }, log: silentLog, max: 2 });
  lanesPool = connectLanes({ connection: { connectionString: database.url }, log: silentLog, max: 3 });
});
afterAll(async () => {
  await accepting.close();
  await lanesPool.close();
  await database.drop();
});

/** Outcomes of one call to Slack. `crash`: the process dies at that point, before or after Slack stored the message. */
const answers = [
  'ok',
  'lost, stored',
  'lost, not stored',
  'unknown error',
  '429',
  'closed',
  'refused',
  'thread gone',
  'crash, stored',
  'crash, not stored',
  'overtaken, stored',
  'overtaken, not yet stored',
] as const;
type Answer = (typeof answers)[number];

const outcomes: Readonly<Partial<Record<Answer, PostOutcome>>> = {
  'lost, stored': { kind: 'perhaps', error: 'http_500' },
  'lost, not stored': { kind: 'perhaps', error: 'http_500' },
  'unknown error': { kind: 'perhaps', error: 'brand_new_error', unknown: true },
  '429': { kind: 'wait', seconds: 5, error: 'rate_limited' },
  closed: { kind: 'channel closed', error: 'is_archived' },
  refused: { kind: 'refused', error: 'invalid_blocks' },
  'thread gone': { kind: 'thread gone', error: 'thread_not_found' },
};

/** How many messages may be posted twice: those whose answer was lost, or whose process stalled or died before it could be marked. */
type Model = { doubles: number };

type World = Awaited<ReturnType<typeof makeWorld>>;
const eachBrings = [2_000, 3, 2_000, 40];
let runs = 0;
let items = 0;

/** Two channels with one subscription each, the bot's own queue on real tables, and a Slack that answers as a test asks. */
async function makeWorld() {
  runs += 1;
  const { db, pool } = connected;
  const teamId = `T${runs}`;
  let nowMs = start;
  let posts = 0;
  const clock = { now: () => new Date(nowMs) };
  const messages: LoggedMessage[] = [];
  const answersToCome: Answer[] = [];
  const sent: Sent[] = [];
  const lanes = ['A', 'B'].map((name) => ({ enterpriseId: null, teamId, channelId: `C${runs}${name}` }));
  const hashes: Buffer[] = [];
  const crashes = new Map<string, () => void>();
  let takes = 0;
  const needWhole = new Set<string>();

  /** Returns Slack's answer, after storing the message if the answer says so. */
  async function call(lane: Channel, store: () => string): Promise<PostOutcome> {
    const answer = answersToCome.shift() ?? 'ok';
    if (answer.startsWith('overtaken')) {
      // The process stalls for longer than its claim lasts, and another one takes over the lane.
      const early = answer === 'overtaken, stored' ? store() : null;
      nowMs += overMs;
      await turn(lane);
      return { kind: 'posted', ts: early ?? store() };
    }
    const ts = answer === 'ok' || answer.endsWith(', stored') ? store() : null;
    if (answer.startsWith('crash')) {
      crashes.get(lane.channelId)?.();
      return new Promise(() => undefined);
    }
    return outcomes[answer] ?? { kind: 'posted', ts: ts ?? '' };
  }

  const { bot, queue, deliver, subscribe } = makeTurns({
    connected,
    lanesPool,
    clock,
    post: (lane, message, threadTs) =>
      call(lane, () => {
        posts += 1;
        const ts = `${1_800_000_000 + posts}.000000`;
        messages.push({
          channelId: lane.channelId,
          ts,
          threadTs: threadTs ?? undefined,
          viewerId: undefined,
          text: message.text,
          blocks: fieldsOf(message),
          edits: [],
          postedAt: nowMs,
          deletedAt: undefined,
        });
        return ts;
      }),
    edit: (lane, ts, message) =>
      call(lane, () => {
        const index = messages.findIndex((each) => each.channelId === lane.channelId && each.ts === ts);
        const before = messages[index];
        if (!before) throw new Error(`there is no message ${ts}`);
        const { text, blocks } = before;
        const edits = [...before.edits, { text, blocks, attachments: [], until: nowMs }];
        messages[index] = { ...before, text: message.text, blocks: fieldsOf(message), edits };
        return ts;
      }),
  });
  for (const [index, lane] of lanes.entries()) {
    hashes.push(await subscribe(lane, { record: String(runs * 10), threads: index === 1 }));
  }

  const receive = makeReceive({
    clock,
    db,
    pool: accepting.pool,
    wake: () => undefined,
    counted: () => undefined,
  });

  /** Takes a lane and runs its turn. Returns when to check it again; null if nothing is pending. */
  async function turn(lane: Channel): Promise<Date | null> {
    takes += 1;
    const now = clock.now();
    const isWhole = needWhole.delete(lane.channelId);
    const { taken, resting } = await queue.take([lane], {
      held: null,
      now,
      until: later(now, claimMs),
      by: `model.${takes}`,
      lost: [],
      most: 1,
      // In production the number of events that come with a lane depends on how many lanes are taken together.
      bytes: 6_000_000,
      eventsEach: isWhole ? mostEvents : (eachBrings[takes % eachBrings.length] ?? 0),
    });
    const [mine] = taken;
    if (!mine) return resting[0]?.ready ?? null;
    const crashed = new Promise<void>((resolve) => crashes.set(lane.channelId, resolve));
    const rest = await Promise.race([deliver(mine), crashed]);
    if (rest?.needsWhole) needWhole.add(lane.channelId);
    return clock.now();
  }

  async function isPending({ channelId }: Channel): Promise<boolean> {
    const { rows } = await pool.query(
      `select from plancast.events where channel_id = $1 and state = 'pending' and reason is null limit 1`,
      [channelId],
    );
    return rows.length > 0;
  }

  async function send(laneIndex: number, index: number): Promise<void> {
    const lane = lanes[laneIndex];
    const tokenHash = hashes[laneIndex];
    if (!lane || !tokenHash) throw new RangeError('no such lane');
    const notification = notificationOf(index);
    const reception = await receive({
      tokenHash,
      notifications: [notification],
      bytes: 500,
      refuse: null,
    });
    expect(reception.kind).toBe('stored');
    const one = { status: 200, subscription: lane.channelId, channel: lane.channelId, at: nowMs };
    sent.push({ ...one, notificationId: notification.id, index });
  }

  return {
    lanes,
    send,
    /** Sets Slack's next answer, and drops one that no call has used. */
    answer: (answer: Answer) => void answersToCome.splice(0, answersToCome.length, answer),
    turn: async (lane: number) => void (await turn(lanes[lane] ?? raise())),
    advance: (milliseconds: number) => {
      nowMs += milliseconds;
    },
    resume: (lane: number) => openChannel(bot, lanes[lane] ?? raise(), 'perhaps'),
    async replay(): Promise<void> {
      const { rows } = await pool.query<{ seq: string }>(
        `select seq from plancast.events where team_id = $1 and state = 'dead'`,
        [teamId],
      );
      const seqs = rows.map(({ seq }) => seq);
      await db.transaction().execute((trx) => deadLetters.replay(trx, seqs, clock.now()));
    },
    async again(lane: number): Promise<void> {
      const before = sent.findLast(({ channel }) => channel === lanes[lane]?.channelId);
      if (before) await send(lane, before.index);
    },
    /** Lets everything succeed until nothing is pending, then checks the whole history. */
    async finish({ doubles }: Model): Promise<void> {
      answersToCome.length = 0;
      for (const lane of lanes) {
        await openChannel(bot, lane, 'perhaps');
        nowMs += overMs;
        for (let turns = 0; await isPending(lane); turns += 1) {
          // Nothing is due while events wait for an edit.
          const next = (await turn(lane)) ?? later(clock.now(), 1_000);
          nowMs = Math.max(nowMs + 1, next.getTime());
          if (turns > 300) throw new Error(`${lane.channelId} is never idle`);
        }
      }
      const ids = lanes.map(({ channelId }) => channelId);
      const events = (await readEvents(pool)).filter(({ channelId }) => ids.includes(channelId));
      const { findings } = checkDelivery({
        sent,
        events,
        messages,
        allowedDoubles: doubles,
      });
      // A plain-text message has no button: it names a few of many and counts the others.
      const plain = messages.filter(({ blocks }) => blocks.length === 0).map(({ ts }) => ts);
      const isPlain = (finding: string) =>
        /^missing: \S+ does not name/.test(finding) && plain.some((ts) => finding.includes(ts));
      expect(findings.filter((finding) => !isPlain(finding))).toEqual([]);
      expect(
        messages.filter((message, at) => messages.slice(0, at).some(({ ts }) => ts === message.ts)),
      ).toEqual([]);
    },
  };
}

function raise(): never {
  throw new RangeError('no such lane');
}

/** Returns blocks as Slack keeps them: plain objects. */
function fieldsOf({ blocks }: Message): LoggedMessage['blocks'] {
  return JSON.parse(JSON.stringify(blocks));
}

function notificationOf(index: number): Notification {
  return {
    id: `id-${index}`,
    serviceSubscriptionId: null,
    source: '2',
    resource: '/Primes/1/Projects/412-873-550/',
    primeId: '1',
    projectId: '412-873-550',
    sessionId: null,
    itemId: String(index),
    happenedAt: new Date(start + index).toISOString(),
    resourceType: 'ProjectItems',
    eventType: 'Create',
    actorEmail: 'sam@example.com',
    idPath: `1/${index}`,
    path: `Root/${itemName(index)}`,
    itemType: 'file',
    name: itemName(index),
  };
}

/** One step of a run, named so that a failing run can be read. */
function command(
  words: string,
  run: (world: World, model: Model) => Promise<void>,
): fc.AsyncCommand<Model, World> {
  return { check: () => true, run: (model, world) => run(world, model), toString: () => words };
}

const lane = fc.integer({ min: 0, max: 1 });
const commands = [
  fc.tuple(lane, fc.integer({ min: 1, max: 12 })).map(([at, count]) =>
    command(`receive ${count} in ${at}`, async (world) => {
      for (let left = count; left > 0; left -= 1) {
        items += 1;
        await world.send(at, items);
      }
    }),
  ),
  lane.map((at) => command(`receive the last in ${at} again`, (world) => world.again(at))),
  fc.tuple(lane, fc.constantFrom(...answers)).map(([at, answer]) =>
    command(`turn in ${at}: ${answer}`, async (world, model) => {
      if (answer.endsWith('stored') && !answer.endsWith(', not stored')) model.doubles += 1;
      world.advance(1_100);
      world.answer(answer);
      await world.turn(at);
    }),
  ),
  lane.map((at) =>
    command(`two turns in ${at} at once`, async (world) => {
      world.advance(3_100);
      await Promise.all([world.turn(at), world.turn(at)]);
    }),
  ),
  fc
    .constantFrom(500, 3_100, 5_000, overMs, 60_000)
    .map((milliseconds) => command(`${milliseconds} ms go by`, async (world) => world.advance(milliseconds))),
  lane.map((at) => command(`${at} is open again`, (world) => world.resume(at))),
  fc.constant(command('dead letters are tried again', (world) => world.replay())),
];

test(`${size.runs} runs of ${size.commands} random steps on two lanes: nothing is lost or posted twice without a cause, and everything is in order`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(commands, { maxCommands: size.commands, size: 'max' }),
      async (happenings) => {
        const real = await makeWorld();
        const model: Model = { doubles: 0 };
        await fc.asyncModelRun(() => ({ model, real }), happenings);
        await real.finish(model);
      },
    ),
    { numRuns: size.runs, seed: size.seed, endOnFailure: false },
  );
}, 180_000);
