import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { PracticeService } from '../service/practice-service.ts';
import { type Fields, fieldsOf } from '../slack/json.ts';
import type { PracticeSlack } from '../slack/practice-slack.ts';
import type { BotKeeper } from './bot-keeper.ts';
import type { Ledger } from './ledger.ts';
import type { LookingAt } from './page/looking-at.ts';
import type { Scene } from './page/screen.ts';
import type { Acted } from './page-routes.ts';
import { type PracticeClock, untilTimeOfDay } from './practice-clock.ts';
import type { PracticeFaults } from './practice-faults.ts';
import { fetchState, type ServiceState, type SlackState } from './practice-states.ts';
import type { Progress } from './progress.ts';
import { accounts } from './seed.ts';

type PlayDeps = {
  readonly slack: PracticeSlack;
  readonly service: PracticeService;
  readonly bot: BotKeeper;
  readonly clock: PracticeClock;
  readonly faults: PracticeFaults;
  readonly ledger: Ledger;
  readonly progress: () => Progress;
  /** Called whenever something has changed. */
  readonly changed: () => void;
};

/** What a person at the page can do in Slack, besides looking. */
const slackActs = new Set([
  'command',
  'write',
  'click',
  'submit',
  'close',
  'suggest',
  'home',
  'invite',
  'remove',
  'shortcut',
]);

const turn = z.union([
  z.object({ ms: z.number() }),
  z.object({ until: z.string().regex(/^\d{1,2}:\d\d$/), zone: z.string() }),
]);
/** Actions at the service, counted under a name. */
const run = z.object({
  name: z.string(),
  channel: z.string(),
  as: z.string(),
  actions: z.array(z.unknown()).max(100),
  /** Milliseconds between two actions. */
  everyMs: z.number().max(5_000).default(0),
  /** The bot is killed after accepting this many of their notifications. */
  killAfter: z.number().optional(),
});

/** A scenario of the guide, and the channels in which its commands are sent. */
const scenario = z.object({ id: z.string(), channels: z.array(z.string()) });

/** Combines the practice servers, the bot and the clock into what the page shows and does. */
export function makePlay(deps: PlayDeps) {
  const { slack, service, bot, clock, faults, ledger, progress, changed } = deps;
  /** Sent commands, each with the ids of its person and channel in front. */
  const said = new Set<string>();
  service.log.on(() => {
    ledger.look();
    changed();
  });
  void follow(`${slack.origin}/practice/stream`, () => {
    ledger.look();
    changed();
  });

  /** Returns how many messages a person can see in each channel. */
  function countsFor(userId: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { channelId, viewerId, deletedAt } of slack.allMessages) {
      const isSeen = deletedAt === undefined && (viewerId === undefined || viewerId === userId);
      if (isSeen) counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
    }
    return counts;
  }

  async function callShortcut({ user, callbackId, messageId }: Fields): Promise<Fields> {
    const message = slack.allMessages.find(({ id }) => id === messageId);
    const { status, failure } = await slack.shortcut({
      user: String(user),
      callbackId: String(callbackId),
      message,
    });
    return { status, failure };
  }

  const actAtService = (body: unknown): Promise<Acted> =>
    post(new URL('/practice/act', service.authUrl), body);

  async function turnClock(body: unknown): Promise<void> {
    const wanted = turn.parse(body);
    const ms =
      'ms' in wanted
        ? wanted.ms
        : untilTimeOfDay(clock.now(), { zone: wanted.zone, time: wanted.until }) + secondsPast;
    clock.advance(ms);
    await bot.turnClock();
    ledger.look();
  }

  async function perform(body: unknown): Promise<Acted> {
    const { name, channel, as, actions, everyMs, killAfter } = run.parse(body);
    const killing = killAfter === undefined ? undefined : killOnce(killAfter);
    return ledger.run({ name, channelId: channel }, async () => {
      for (const [index, action] of actions.entries()) {
        if (index > 0) await sleep(everyMs);
        const acted = await actAtService({ as, ...fieldsOf(action) });
        if (acted.status !== 200) return acted;
      }
      await killing;
      return { status: 200, body: {} };
    });
  }

  /** Kills the bot after it has accepted this many more notifications, or had enough time for that. */
  async function killOnce(after: number): Promise<void> {
    const enough = Promise.withResolvers<void>();
    let taken = 0;
    const stop = service.log.on((event) => {
      if (event.type === 'delivery' && event.received) taken += 1;
      if (taken >= after) enough.resolve();
    });
    await Promise.race([enough.promise, sleep(killWithinMs)]);
    stop();
    await bot.kill();
  }

  /** Lets a scenario begin anew: everything works, and nothing of it is done yet. */
  function begin({ id, channels }: z.infer<typeof scenario>): void {
    faults.set({ service: 'works', slack: 'works' });
    if (progress().isKilled) bot.startAgain();
    ledger.forget(id);
    for (const line of said) if (channels.includes(line.split(' ')[1] ?? '')) said.delete(line);
  }

  const demoActs: Readonly<Record<string, (body: unknown) => Promise<Acted>>> = {
    clock: (body) => turnClock(body).then(done),
    faults: async (body) => {
      faults.set(body);
      return done();
    },
    begin: async (body) => {
      begin(scenario.parse(body));
      return done();
    },
    kill: () => bot.kill().then(done),
    start: async () => {
      bot.startAgain();
      return done();
    },
    run: perform,
  };

  return {
    /** Returns everything needed to draw one person's screen. */
    async sceneFor({ user, channel }: LookingAt): Promise<Scene> {
      const slackAddress = new URL('/practice/state', slack.origin);
      slackAddress.search = new URLSearchParams({ user, channel }).toString();
      const [slackState, serviceState] = await Promise.all([
        fetchState<SlackState>(slackAddress),
        fetchState<ServiceState>(new URL('/practice/state', service.authUrl)),
      ]);
      return {
        slack: slackState,
        service: serviceState,
        progress: progress(),
        counts: countsFor(user),
        channels: [...slack.channels.values()],
        facts: {
          said,
          linked: new Set(service.log.of('token').map((token) => token.user)),
          subscribed: service.log.of('subscription'),
          announced: new Set(
            slack.allMessages
              .filter(({ viewerId, authorId }) => viewerId === undefined && authorId === undefined)
              .map(({ channelId }) => channelId),
          ),
          hasChanged: serviceState.deliveries.length > 0,
          refusals: slack.calls.filter(({ outcome }) => outcome === 'ratelimited').length,
        },
        account: ledger.account(),
        faults: faults.settings(),
        now: new Date(clock.now()),
        ahead: clock.ahead(),
      };
    },
    async actInSlack(act: string, body: unknown): Promise<Acted> {
      if (!slackActs.has(act)) return { status: 404, body: { error: `Nobody can "${act}" here.` } };
      const { isReady, isKilled, failure } = progress();
      if (!isReady && !isKilled)
        return { status: 409, body: { error: failure ?? 'The bot is still starting.' } };
      const { user, channel, line, text } = fieldsOf(body);
      // Whoever presses Link signs in as themselves.
      service.data.expected = accounts[String(user)] ?? '';
      if (act === 'command' || act === 'write')
        said.add(`${String(user)} ${String(channel)} ${String(line ?? text)}`);
      if (act === 'shortcut') return { status: 200, body: await callShortcut(fieldsOf(body)) };
      return post(new URL(`/practice/${act}`, slack.origin), body);
    },
    actAtService,
    /** Changes the practice world itself: turns its clock, sets faults, kills the bot. */
    async actInDemo(act: string, body: unknown): Promise<Acted> {
      const perform_ = Object.hasOwn(demoActs, act) ? demoActs[act] : undefined;
      if (perform_ === undefined) return { status: 404, body: { error: `Nobody can "${act}" here.` } };
      try {
        return await perform_(body);
      } catch (error) {
        if (error instanceof z.ZodError || error instanceof RangeError)
          return { status: 400, body: { error: error.message } };
        throw error;
      } finally {
        changed();
      }
    },
  };
}

const killWithinMs = 10_000;
/** A 9:00 digest is due at 9:00, not a moment before. */
const secondsPast = 1_000;

function done(): Acted {
  return { status: 200, body: {} };
}

async function post(address: URL, body: unknown): Promise<Acted> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Calls `changed` for every event of a stream, until its server closes it. */
async function follow(address: string, changed: () => void): Promise<void> {
  try {
    const { body } = await fetch(address);
    for await (const _event of body ?? []) changed();
  } catch {
    // The server was closed because the demo is ending.
  }
}
