import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeChannel, openChannel } from '../../src/core/channels/channel-facts.ts';
import type { Notification } from '../../src/core/model/notification.ts';
import { workspaceErrors } from '../../src/core/model/pause-reason.ts';
import { makeReceive } from '../../src/core/receiving/receive.ts';
import { settle, settleAll } from '../../src/core/settling/settle.ts';
import { claimMs } from '../../src/jobs/dispatch.ts';
import { later, minuteMs } from '../../src/lib/durations.ts';
import { type ConnectedDatabase, connectLanes, connectPipelined } from '../../src/store/database.ts';
import * as lanes from '../../src/store/tables/lanes.ts';
import * as obstacles from '../../src/store/tables/obstacles.ts';
import { silentLog } from '../support/log.ts';
import {
  freshDatabase,
  sessionsAtLocks,
  type TestDatabase,
  withoutWaitingForDisk,
} from '../support/postgres.ts';
import { makeTurns } from './support/turns.ts';

/*
 * Facts come and go in any order, in two processes, with transactions that are rolled back and facts that nobody reported. A model of twenty
 * lines says what stands in the way of each subscription, and which differences have to be announced.
 */

/** `RUNS=10000` for the full size. A fixed seed, so that a failure can be repeated. */
const size = { runs: Number(process.env.RUNS ?? 60), steps: 25, seed: Number(process.env.SEED ?? 42) };
const start = Date.UTC(2026, 10, 21, 12);
const owners = ['U0DANA', 'U0DANA', 'U0SAM'] as const;
const projects = ['412-873-550', '538-204-917', '660-118-342'] as const;

let database: TestDatabase;
let connected: ConnectedDatabase;
let accepting: ReturnType<typeof connectPipelined>;
let lanesPool: ReturnType<typeof connectLanes>;
beforeAll(async () => {
  database = await withoutWaitingForDisk(await freshDatabase('facts'));
  connected = database.connect();
  accepting = connectPipelined({ connection: { connectionString: database.url }, log: silentLog, max: 2 });
  lanesPool = connectLanes({ connection: { connectionString: database.url }, log: silentLog, max: 3 });
  // What was ever announced, also if it was replaced or withdrawn before it was posted.
  await connected.pool.query(`
    create table announced (channel_id text, text text);
    create function note_announced() returns trigger language plpgsql as $$
    begin insert into announced values (new.channel_id, new.message ->> 'text'); return new; end $$;
    create trigger note_announced before insert or update on plancast.announcements for each row execute function note_announced()`);
});
afterAll(async () => {
  await accepting.close();
  await lanesPool.close();
  await database.drop();
});

/** How much later each turn is, in milliseconds. */
const turnTakesMs = 1_100;
let worlds = 0;

async function makeWorld() {
  worlds += 1;
  const { db, pool } = connected;
  const lane = { enterpriseId: null, teamId: `T${worlds}`, channelId: `C${worlds}` };
  let nowMs = start;
  let takes = 0;
  let sent = 0;
  let posts = 0;
  let refusal: string | null = null;
  let wasRefused = false;
  const texts: string[] = [];
  const clock = { now: () => new Date(nowMs) };
  const { bot, queue, deliver, subscribe } = makeTurns({
    connected,
    lanesPool,
    clock,
    post: async (_, { text }) => {
      if (refusal !== null) {
        wasRefused = true;
        return { kind: isOfWorkspace(refusal) ? 'workspace closed' : 'channel closed', error: refusal };
      }
      posts += 1;
      texts.push(text);
      return { kind: 'posted', ts: `${1_800_000_000 + posts}.000000` };
    },
    edit: async () => ({ kind: 'refused', error: 'no edits here' }),
  });
  const hashes: Buffer[] = [];
  for (const [index, owner] of owners.entries()) {
    const record = String(worlds * 10 + index);
    hashes.push(await subscribe(lane, { record, owner, projectId: projects[index] ?? '' }));
  }
  const deps = { clock, db, wake: () => undefined, counted: () => undefined };
  const receive = makeReceive({ ...deps, pool: accepting.pool });
  const arrivalOf = (index: number) => {
    sent += 1;
    const notifications = [notificationOf(sent, projects[index] ?? '')];
    return { tokenHash: hashes[index] as Buffer, notifications, bytes: 500, refuse: null };
  };
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    (await pool.query<Row>(text, [lane.channelId])).rows;
  const rows = () =>
    query<{ id: string; state: string; reason: string | null }>(
      `select id, state, reason from plancast.subscriptions where channel_id = $1 order by parent_id`,
    );
  const ids = (await rows()).map(({ id }) => id);
  async function turn(): Promise<boolean> {
    takes += 1;
    nowMs += turnTakesMs;
    const now = clock.now();
    const by = `facts.${takes}`;
    const claim = {
      held: null,
      now,
      until: later(now, claimMs),
      by,
      lost: [],
      most: 1,
      bytes: 6_000_000,
      eventsEach: 2_000,
    };
    const { taken } = await queue.take([lane], claim);
    if (taken[0]) await deliver(taken[0]);
    return taken[0] !== undefined;
  }
  return {
    bot,
    db,
    lane,
    ids,
    texts,
    clock,
    query,
    rows,
    advance: (milliseconds: number) => {
      nowMs += milliseconds;
    },
    linkOf: (owner: string, to: string) =>
      pool.query(
        to === 'none'
          ? `update plancast.links set given_up_at = now() where team_id = $1 and user_id = $2 and $3 <> ''`
          : `update plancast.links set given_up_at = null, state = $3 where team_id = $1 and user_id = $2`,
        [lane.teamId, owner, to],
      ),
    receive: async (index: number): Promise<void> => void (await receive(arrivalOf(index))),
    /** Stores a change, and commits it only once `meanwhile` is done or waits for that: what is stored of it was decided before. */
    async receiveAround(index: number, meanwhile: () => Promise<void>): Promise<void> {
      const client = await pool.connect();
      const stored = Promise.withResolvers<void>();
      const committed = Promise.withResolvers<void>();
      const query = async (statement: pg.QueryConfig) => {
        await client.query('begin');
        const result = await client.query(statement.text, statement.values);
        stored.resolve();
        await committed.promise;
        await client.query('commit');
        return result;
      };
      const received = makeReceive({ ...deps, pool: { query } as unknown as pg.Pool })(arrivalOf(index));
      // On a busy machine it may be answered as not stored in time.
      received.catch(() => undefined);
      await stored.promise;
      let isDone = false;
      const done = meanwhile().finally(() => {
        isDone = true;
      });
      try {
        while (!isDone && (await sessionsAtLocks(pool)) === 0) await sleep(1);
      } finally {
        committed.resolve();
        await received.catch(() => client.query('select'));
        client.release();
      }
      await done;
    },
    turn,
    /** Runs a turn whose post Slack refuses, if it posts at all. */
    async refusedTurn(error: string) {
      [refusal, wasRefused] = [error, false];
      const isTaken = await turn();
      refusal = null;
      return { isTaken, wasRefused };
    },
    async remove(): Promise<void> {
      const { channelId, teamId } = lane;
      await pool.query(`delete from plancast.events where channel_id = $1`, [channelId]);
      await pool.query(`delete from plancast.subscriptions where channel_id = $1`, [channelId]);
      for (const table of ['announcements', 'lanes', 'channels', 'items'])
        await pool.query(`delete from plancast.${table} where channel_id = $1`, [channelId]);
      await pool.query(`delete from plancast.links where team_id = $1`, [teamId]);
      await pool.query(`delete from announced where channel_id = $1`, [channelId]);
    },
  };
}
type World = Awaited<ReturnType<typeof makeWorld>>;

/** A fact about the channel. `at`: of the newest event about it. */
type Fact = { holds: boolean; at: number };

/** What is so, and what was announced of it. */
class Model {
  out: Fact = { holds: false, at: 0 };
  archived: Fact = { holds: false, at: 0 };
  refused = '';
  mutedUntil = 0;
  links = new Map<string, string>(owners.map((owner) => [owner, 'active']));
  withheld: (string | null)[] = owners.map(() => null);
  paused: boolean[] = owners.map(() => false);
  notified: (string | null)[] = owners.map(() => null);
  announcements = 0;
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get closed(): string | null {
    if (this.out.holds) return 'not in channel';
    if (this.archived.holds) return 'channel archived';
    if (this.refused === '') return null;
    if (isOfWorkspace(this.refused)) return 'workspace access';
    return refusals.get(this.refused) ?? 'posting restricted';
  }

  /** Why what comes in for a subscription waits; null if it does not. */
  heldFor(index: number): 'paused' | 'muted' | null {
    if (this.refused !== '' || this.notified[index] !== null) return 'paused';
    return this.mutedUntil > this.now() ? 'muted' : null;
  }

  ofOwner(index: number): string | null {
    const link = this.links.get(owners[index] ?? '');
    if (link === 'none') return this.withheld[index] === 'owner gone' ? 'owner gone' : 'unlinked';
    if (link === 'frozen') return 'owner gone';
    return link === 'relink' ? 'link lost' : (this.withheld[index] ?? null);
  }

  obstacle(index: number): string | null {
    return this.paused[index] ? 'by a person' : (this.ofOwner(index) ?? this.closed);
  }

  settle(): void {
    if (this.mutedUntil <= this.now()) this.mutedUntil = 0;
    const is = owners.map((_, index) => this.obstacle(index));
    const differing = owners.flatMap((_, index) => (is[index] === this.notified[index] ? [] : [index]));
    const waiting = differing.filter((index) => is[index] !== null && is[index] === this.ofOwner(index));
    for (const index of waiting) this.withheld[index] = is[index] ?? null;
    const resumed = differing.filter((index) => is[index] === null).map((index) => this.notified[index]);
    this.announcements += new Set(waiting.map((index) => `${owners[index]} ${is[index]}`)).size;
    this.announcements += resumed.filter((notified) => ownerReasons.has(notified ?? '')).length;
    this.announcements += resumed.some((notified) => channelReasons.has(notified ?? '')) ? 1 : 0;
    this.notified = is;
  }
}
/** Slack's errors for a post, and what they say of the channel. Others mean that posting is restricted. */
const refusals = new Map([
  ['is_archived', 'channel archived'],
  ['not_in_channel', 'not in channel'],
  ['channel_not_found', 'not in channel'],
]);
const errors = [...refusals.keys(), 'restricted_action', 'cannot_post', 'token_revoked', 'account_inactive'];
const isOfWorkspace = (error: string) => workspaceErrors.some((known) => known === error);
const ownerReasons = new Set(['link lost', 'unlinked', 'owner gone', 'no access', 'not sent any more']);
const channelReasons = new Set([
  'not in channel',
  'channel archived',
  'posting restricted',
  'workspace access',
]);

type Step = {
  readonly words: string;
  readonly run: (world: World, model: Model) => Promise<void>;
  /** Whether the channel is settled afterward. */
  readonly settles: boolean;
};
const step = (words: string, run: Step['run'], settles = true): Step & { toString(): string } => ({
  words,
  run,
  settles,
  toString: () => words,
});

/** Checks what a turn posts: nothing of what something stood in the way of. */
async function takeTurn(world: World, model: Model, turn: () => Promise<boolean>): Promise<boolean> {
  const before = world.texts.length;
  const held = owners.map((_, index) => model.heldFor(index));
  const isMuteOver = model.mutedUntil > 0 && model.mutedUntil <= world.clock.now().getTime() + turnTakesMs;
  const unsettled = await world.query(
    `select from plancast.events e join plancast.subscriptions s on s.id = e.subscription_id
     join plancast.lanes l on l.team_id = e.team_id and l.channel_id = e.channel_id
     where e.channel_id = $1 and e.state = 'pending' and e.reason is null and (s.state = 'paused' or l.paused_reason is not null)`,
  );
  const isTaken = await turn();
  // The turn itself settles the channel then.
  if (isTaken && (isMuteOver || unsettled.length > 0)) model.settle();
  for (const text of world.texts.slice(before)) {
    for (const [, index] of text.matchAll(/file-(\d)-\d+/g)) {
      const isHeld = held[Number(index)] ?? null;
      if (isHeld === 'paused' || (isHeld === 'muted' && !isMuteOver))
        throw new Error(`posted what is ${isHeld}`);
    }
  }
  return isTaken;
}

const which = fc.integer({ min: 0, max: 2 });
const person = fc.constantFrom('U0DANA', 'U0SAM');
const closing = fc.constantFrom('out' as const, 'archived' as const);
const facts = fc.oneof(
  fc.tuple(closing, fc.boolean(), fc.integer({ min: 1, max: 40 })).map(([fact, holds, at]) =>
    step(`Slack reports ${fact} ${holds} of ${at}`, async ({ bot, lane }, model) => {
      const isNew = at > model[fact].at;
      if (holds) await closeChannel(bot, lane, fact, String(at));
      else await openChannel(bot, lane, { ended: fact, at: String(at) });
      if (isNew) {
        model[fact] = { holds, at };
        if (holds) model.refused = fact === 'out' ? 'not_in_channel' : 'is_archived';
        else if (!model.out.holds && !model.archived.holds) model.refused = '';
      }
      model.settle();
    }),
  ),
  fc.constantFrom(...errors).map((error) =>
    step(`Slack refuses a post: ${error}`, async ({ bot, lane }, model) => {
      await settle(bot, lane, ({ db }) => lanes.pause(db, lane, error));
      model.refused = error;
      model.settle();
    }),
  ),
  fc.constant(
    step('the bot tries again', async ({ bot, lane }, model) => {
      await openChannel(bot, lane, 'perhaps');
      if (!model.out.holds && !model.archived.holds) model.refused = '';
      model.settle();
    }),
  ),
  fc.integer({ min: 0, max: 30 }).map((minutes) =>
    step(minutes === 0 ? 'unmute' : `mute ${minutes} minutes`, async ({ bot, lane, clock }, model) => {
      const until = minutes === 0 ? null : later(clock.now(), minutes * minuteMs);
      await settle(bot, lane, ({ db }) => lanes.mute(db, lane, until, clock.now()));
      model.mutedUntil = until?.getTime() ?? 0;
      model.settle();
    }),
  ),
  which.map((index) =>
    step(`a member pauses ${index}`, async ({ bot, lane, ids, clock }, model) => {
      await settle(bot, lane, ({ db }) => obstacles.pause(db, [ids[index] ?? ''], 'U1', clock.now()));
      // Only what nothing stands in the way of can be paused.
      if (model.notified[index] === null) {
        model.paused[index] = true;
        model.notified[index] = 'by a person';
      }
      model.settle();
    }),
  ),
  which.map((index) =>
    step(`a member resumes ${index}`, async ({ bot, lane, ids, clock }, model) => {
      await settle(bot, lane, ({ db }) => obstacles.resume(db, ids[index] ?? '', clock.now()));
      if (model.paused[index]) model.notified[index] = 'nothing';
      model.paused[index] = false;
      model.settle();
    }),
  ),
  fc
    .tuple(which, fc.constantFrom('no access' as const, 'not sent any more' as const))
    .map(([index, reason]) =>
      step(`the service withholds ${index}: ${reason}`, async ({ bot, db, lane, ids }, model) => {
        await obstacles.withhold(db, [ids[index] ?? ''], reason, { instead: true });
        await settle(bot, lane);
        model.withheld[index] = reason;
        model.settle();
      }),
    ),
  which.map((index) =>
    step(`the service sends ${index}`, async ({ bot, db, lane, ids }, model) => {
      await obstacles.noteSent(db, ids[index] ?? '', { wasLost: false });
      await settle(bot, lane);
      model.withheld[index] = null;
      model.settle();
    }),
  ),
  fc.constant(
    step('two processes settle', async ({ bot, lane }, model) => {
      await Promise.all([settle(bot, lane), settle(bot, lane)]);
      model.settle();
    }),
  ),
);

const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: facts },
    {
      weight: 1,
      arbitrary: fc.tuple(person, fc.constantFrom('active', 'none', 'relink', 'frozen')).map(([owner, to]) =>
        step(
          `the link of ${owner} becomes ${to}, and nobody reports it`,
          async ({ linkOf }, model) => {
            await linkOf(owner, to);
            model.links.set(owner, to);
          },
          false,
        ),
      ),
    },
    {
      weight: 2,
      arbitrary: which.map((index) => step(`a change for ${index}`, (world) => world.receive(index), false)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(which, facts)
        .map(([index, fact]) =>
          step(
            `a change for ${index} is being stored while ${fact.words}`,
            (world, model) => world.receiveAround(index, () => fact.run(world, model)),
            false,
          ),
        ),
    },
    {
      weight: 2,
      arbitrary: fc.constant(
        step('a turn', async (world, model) => void (await takeTurn(world, model, world.turn)), false),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...errors).map((error) =>
        step(
          `Slack refuses the post of a turn: ${error}`,
          async (world, model) => {
            let isRefused = false;
            await takeTurn(world, model, async () => {
              const { isTaken, wasRefused } = await world.refusedTurn(error);
              isRefused = wasRefused;
              return isTaken;
            });
            if (!isRefused) return;
            model.refused = error;
            model.settle();
          },
          false,
        ),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constant(
        step(
          'a process is killed in the middle',
          async ({ bot, lane, clock }) => {
            const killed = settle(bot, lane, async ({ db }) => {
              await lanes.mute(db, lane, later(clock.now(), minuteMs), clock.now());
              await lanes.pause(db, lane, 'restricted_action');
              throw new Error('killed');
            });
            await expect(killed).rejects.toThrow('killed');
          },
          false,
        ),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constant(
        step('half an hour goes by', async (world) => world.advance(30 * minuteMs), false),
      ),
    },
  ),
  { minLength: 1, maxLength: size.steps },
);

async function expectSettled(world: World, model: Model): Promise<void> {
  const notified = (await world.rows()).map(({ state, reason }) => (state === 'paused' ? reason : null));
  expect(notified).toEqual(model.notified);
  const announced = await world.query<{ text: string }>('select text from announced where channel_id = $1');
  expect(announced.map(({ text }) => text)).toHaveLength(model.announcements);
  const held = await world.query<{ project: string; reason: string }>(
    `select distinct s.parent_id as project, e.reason from plancast.events e join plancast.subscriptions s on s.id = e.subscription_id
     where e.channel_id = $1 and e.state = 'pending' and e.reason is not null`,
  );
  const heldFor = new Map(projects.map((project, index) => [String(project), model.heldFor(index)]));
  expect(held.filter(({ project }) => heldFor.get(project) === null)).toEqual([]);
}

test(`${size.runs} runs of up to ${size.steps} facts: what stands in the way is what people were notified of, each difference once, and nothing stays held or changes places`, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (happenings) => {
      const world = await makeWorld();
      const model = new Model(() => world.clock.now().getTime());
      for (const { run, settles } of happenings) {
        await run(world, model);
        if (settles) await expectSettled(world, model);
      }
      // Once more, by two processes: what nobody reported is found, and done once.
      await Promise.all([settleAll(world.bot), settleAll(world.bot)]);
      model.settle();
      await expectSettled(world, model);

      // Every fact goes.
      for (const owner of owners) await world.linkOf(owner, 'active');
      for (const id of world.ids) {
        await obstacles.noteSent(world.db, id, { wasLost: false });
        await settle(world.bot, world.lane, ({ db }) => obstacles.resume(db, id, world.clock.now()));
      }
      await openChannel(world.bot, world.lane, { ended: 'out', at: '1000' });
      await openChannel(world.bot, world.lane, { ended: 'archived', at: '1000' });
      world.advance(31 * minuteMs);
      await settleAll(world.bot);
      const held = `select reason from plancast.events where channel_id = $1 and state = 'pending' and reason is not null`;
      expect(await world.query(held)).toEqual([]);
      expect((await world.rows()).map(({ state }) => state)).toEqual(Array(3).fill('active'));
      for (let turns = 0; await world.turn(); turns += 1) expect(turns).toBeLessThan(100);
      const outcomes = await world.query<{ state: string; inOrder: boolean }>(
        `select state, coalesce(message_ts >= lag(message_ts) over (partition by subscription_id order by seq), true) as "inOrder"
         from plancast.events where channel_id = $1`,
      );
      expect(outcomes.filter(({ state, inOrder }) => state !== 'posted' || !inOrder)).toEqual([]);
      await world.remove();
    }),
    { numRuns: size.runs, seed: size.seed, endOnFailure: Number(process.env.RUNS ?? 0) > 1_000 },
  );
}, 3_600_000);

/** A new file in a project. Its name says which subscription follows it. */
function notificationOf(n: number, projectId: string): Notification {
  const name = `file-${projects.indexOf(projectId as (typeof projects)[number])}-${n}`;
  return {
    id: `id-${worlds}-${n}`,
    serviceSubscriptionId: null,
    source: '2',
    resource: `/Primes/1/Projects/${projectId}/`,
    primeId: '1',
    projectId,
    sessionId: null,
    itemId: String(n),
    happenedAt: new Date(start + n).toISOString(),
    resourceType: 'ProjectItems',
    eventType: 'Create',
    actorEmail: 'sam@example.com',
    idPath: `1/${n}`,
    path: `Root/${name}`,
    itemType: 'file',
    name,
  };
}

test('a mute ends while the owner has no link: what was held for either comes in one summary, in order', async () => {
  const world = await makeWorld();
  const { bot, lane, clock } = world;
  await settle(bot, lane, ({ db }) => lanes.mute(db, lane, later(clock.now(), minuteMs), clock.now()));
  await world.receive(0);
  await world.turn();
  await world.linkOf('U0DANA', 'none');
  world.advance(30 * minuteMs);
  await world.receive(0);
  await settle(bot, lane);
  await world.linkOf('U0DANA', 'active');
  for (const id of world.ids) await obstacles.noteSent(world.db, id, { wasLost: false });
  await settle(bot, lane);
  for (let turns = 0; await world.turn(); turns += 1) expect(turns).toBeLessThan(10);

  const posted = await world.query<{ summary: string; message: string }>(
    `select summary, message_ts as message from plancast.events where channel_id = $1 order by seq`,
  );
  expect(posted).toEqual([
    { summary: 'paused', message: posted[0]?.message },
    { summary: 'paused', message: posted[0]?.message },
  ]);
  expect(posted[0]?.message).toEqual(expect.any(String));
  await world.remove();
});
