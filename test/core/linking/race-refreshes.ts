import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import type { BotSettings } from '../../support/bot.ts';
import { minute } from '../../support/linking.ts';

const events = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready') }),
  z.object({ event: z.literal('locked') }),
  z.object({ event: z.literal('answers'), answers: z.array(z.string()) }),
]);
type Event = z.infer<typeof events>;

export type Racers = {
  readonly processes: readonly Racer[];
  /** Ends the processes that are still alive. */
  readonly close: () => Promise<void>;
};

export type Racer = {
  readonly child: ChildProcess;
  /**
   * Lets callers ask for a token at time `at`; `hangs`: the one that gets the lock keeps it. Returns the tokens, `relink` or `failed: …`.
   */
  readonly ask: (order: {
    readonly linkId: string;
    readonly callers: number;
    readonly at: Date;
    readonly hangs?: boolean | undefined;
  }) => Promise<readonly string[]>;
  /** Resolves when the process next gets the lock. */
  readonly locked: () => Promise<void>;
  /** Sends SIGKILL; resolves when the process is gone. */
  readonly kill: () => Promise<void>;
};

type Setting = {
  readonly settings: BotSettings;
  /** How long a process waits for the service; as in a running bot by default. */
  readonly timeoutMs?: number | undefined;
};

/** Starts `count` processes of the bot, which share nothing but the database, Slack and the service. */
export async function startRacers(count: number, setting: Setting): Promise<Racers> {
  const processes = await Promise.all(Array.from({ length: count }, () => startRacer(setting)));
  return {
    processes,
    close: async () => {
      await Promise.all(
        processes.map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const gone = once(child, 'exit');
          child.disconnect();
          await gone;
        }),
      );
    },
  };
}

async function startRacer(setting: Setting): Promise<Racer> {
  const child = fork(new URL('./refresh-process.ts', import.meta.url), { execArgv: [] });
  const ready = next(child, 'ready');
  child.send({ order: 'start', ...setting });
  await ready;
  return {
    child,
    ask: async ({ linkId, callers, at, hangs = false }) => {
      const answered = next(child, 'answers');
      child.send({ order: 'ask', linkId, callers, at: at.getTime(), hangs });
      return (await answered).answers;
    },
    locked: async () => {
      await next(child, 'locked');
    },
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function next<Name extends Event['event']>(
  child: ChildProcess,
  name: Name,
): Promise<Extract<Event, { event: Name }>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off('message', listen);
      child.off('exit', exited);
    };
    const listen = (message: unknown): void => {
      const event = events.parse(message);
      if (event.event !== name) return;
      stop();
      resolve(event as Extract<Event, { event: Name }>);
    };
    const exited = (): void => {
      stop();
      reject(new Error(`A process ended while "${name}" was awaited.`));
    };
    child.on('message', listen);
    child.on('exit', exited);
  });
}

export type RaceResult = {
  /** For each round: how many refreshes the service saw, and the distinct answers of all callers. */
  readonly rounds: readonly { readonly refreshes: number; readonly answers: readonly string[] }[];
  /** Refresh tokens that were used twice; each reuse ends a link. */
  readonly reuses: number;
};

/**
 * Makes all callers of all processes ask for a token at the moment it is due, round after round. Expected: one refresh per round, one
 * answer for all, and no token used twice. `forward` advances the service's clock and returns the time.
 */
export async function raceRefreshes(
  racers: Racers,
  race: {
    readonly service: PracticeService;
    readonly linkId: string;
    readonly callers: number;
    readonly rounds: number;
    readonly forward: (milliseconds: number) => Date;
  },
): Promise<RaceResult> {
  const { service, linkId, callers } = race;
  const rounds: { refreshes: number; answers: string[] }[] = [];
  for (let round = 0; round < race.rounds; round++) {
    const at = race.forward(56 * minute);
    const before = refreshesOf(service);
    const answers = await Promise.all(racers.processes.map(({ ask }) => ask({ linkId, callers, at })));
    rounds.push({
      refreshes: refreshesOf(service) - before,
      answers: [...new Set(answers.flat())],
    });
  }
  return { rounds, reuses: service.log.of('reuse').length };
}

function refreshesOf(service: PracticeService): number {
  return service.log.of('token').filter(({ grant }) => grant === 'refresh_token').length;
}
