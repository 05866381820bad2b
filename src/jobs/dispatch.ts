import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../core/model/people.ts';
import { retry } from '../lib/retry.ts';
import type { LaneJob, Log, Queue } from './queue.ts';

export type DispatchDeps = {
  readonly queue: Pick<Queue, 'takeLanes' | 'endLanes' | 'touchLanes' | 'addLanes' | 'onQueued'>;
  /** Gives a lane a turn; says when it wants the next one. */
  readonly deliver: (lane: Channel) => Promise<Date | null>;
  readonly now: () => Date;
  readonly log: Log;
};

/** Lanes worked on at once. Each mostly waits for Slack. */
const slots = 50;
/** How often the queue is looked at when nobody says that there is something: a floor, not the usual way. */
const lookEveryMs = 2_000;
/** How often a busy worker shows that it lives; pg-boss gives up on one after 10 s. */
const touchEveryMs = 3_000;
/** Waits between tries to end a job. */
const retryMs = { first: 100, most: 12_800 };
/** After a fault of the database or of ours, a lane is tried again. */
const afterFaultMs = 2_000;

/**
 * Works on the lanes' jobs. pg-boss's own workers are not used for them: each of those polls for itself, and wakes with all others at
 * each notice, while here one look at the queue fills all slots that are free.
 */
export function startDispatch({ queue, deliver, now, log }: DispatchDeps) {
  const busy = new Set<LaneJob>();
  const timers = new Set<NodeJS.Timeout>();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let stopping = false;

  queue.onQueued(look);
  const floor = setInterval(look, lookEveryMs);
  const signs = setInterval(() => void showSigns(), touchEveryMs);
  look();

  function look(): void {
    if (stopping) return;
    lookAgain = true;
    looking ??= lookOnce().finally(() => {
      looking = null;
      if (lookAgain && busy.size < slots) look();
    });
  }

  async function lookOnce(): Promise<void> {
    lookAgain = false;
    const free = slots - busy.size;
    if (free <= 0) return;
    try {
      const jobs = await queue.takeLanes(free);
      for (const job of jobs) {
        busy.add(job);
        void work(job);
      }
      if (jobs.length === free) lookAgain = true;
    } catch (error) {
      log.warn({ err: error }, 'the queue of lanes could not be read');
    }
  }

  async function work(job: LaneJob): Promise<void> {
    try {
      const again = await deliver(job.lane).catch((error: unknown) => {
        log.error(
          { err: error, team: job.lane.teamId, channel: job.lane.channelId },
          'a turn of a lane failed',
        );
        return new Date(now().getTime() + afterFaultMs);
      });
      // A job that could not be ended would come back only once it is taken for dead, so it is tried for as long.
      await retry(
        async () => {
          if (again) await requeue(job.lane, again);
          await queue.endLanes([job]);
        },
        { waits: retryMs, goesOn: (_error, wait) => !stopping && wait < retryMs.most, sleep },
      );
    } catch (error) {
      // The job stays active without a sign of life, and so comes back by itself.
      log.error({ err: error, team: job.lane.teamId }, 'a job of a lane could not be ended');
    } finally {
      busy.delete(job);
      look();
    }
  }

  /** The lane waits in the queue, so that another process goes on with it should this one end; the timer only saves a look. */
  async function requeue(lane: Channel, at: Date): Promise<void> {
    const wait = at.getTime() - now().getTime();
    await queue.addLanes([lane], { afterMs: wait });
    if (wait <= 0 || wait > lookEveryMs) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      look();
    }, wait + 5);
    timers.add(timer);
  }

  async function showSigns(): Promise<void> {
    if (busy.size === 0) return;
    await queue.touchLanes([...busy]).catch((error: unknown) => log.warn({ err: error }, 'no sign of life'));
  }

  return {
    /** Takes nothing more, and waits for the turns under way. */
    async stop(): Promise<void> {
      stopping = true;
      clearInterval(floor);
      for (const timer of timers) clearTimeout(timer);
      await looking;
      while (busy.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      clearInterval(signs);
    },
  };
}

export type Dispatch = ReturnType<typeof startDispatch>;
