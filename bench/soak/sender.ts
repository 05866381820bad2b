import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Sent } from '../../test/faults/checker.ts';
import { makeNotification, type ToSend } from './notification.ts';

export type SenderDeps = {
  /** Per second, not counting duplicates. */
  readonly rate: number;
  /** The bots' addresses. */
  readonly addresses: readonly string[];
  /** The callbacks registered at the service: a channel and the path of its callback address. */
  readonly callbacks: readonly { readonly channel: string; readonly path: string }[];
  readonly project: string;
  readonly emails: readonly string[];
  readonly random: () => number;
  readonly now: () => number;
};

/** The results of sending so far. */
export type SenderFigures = {
  /** Notifications answered with 2xx; duplicates count once. */
  readonly accepted: number;
  /** Non-2xx answers, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Requests without an answer because the process was ended or not running, by error code. */
  readonly unanswered: Readonly<Record<string, number>>;
  /** Given up after all retries. */
  readonly givenUp: number;
};

const tickMs = 50;
/** A fifth of all notifications go to the first two channels, which causes bursts and messages that grow by edits. */
const hotShare = 0.2;
const hotChannels = 2;
/** The service's backoff in milliseconds: it retries at the next address, soon at first. */
const waitsMs = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const answerWithinMs = 10_000;

/** Sends notifications steadily to all bots in turn, like a load balancer; if one refuses, tries the next. */
export function startSender(deps: SenderDeps) {
  const agent = new Agent({
    headersTimeout: answerWithinMs,
    bodyTimeout: answerWithinMs,
    connect: { timeout: 5_000 },
  });
  const sent: Sent[] = [];
  const latencies: { at: number; ms: number }[] = [];
  const refused: Record<string, number> = {};
  const unanswered: Record<string, number> = {};
  const underWay = new Set<Promise<void>>();
  const began = deps.now();
  let accepted = 0;
  let givenUp = 0;
  let made = 0;
  let turn = 0;
  let stopping = false;

  const timer = setInterval(() => {
    const due = Math.floor(((deps.now() - began) / 1_000) * deps.rate);
    while (made < due) {
      made += 1;
      const notification = makeNotification({ ...deps, index: made, now: deps.now() });
      track(send(notification, pickCallback()));
    }
  }, tickMs);

  function track(work: Promise<void>): void {
    const done = work.finally(() => underWay.delete(done));
    underWay.add(done);
  }

  function pickCallback() {
    const { callbacks, random } = deps;
    const among = random() < hotShare ? Math.min(hotChannels, callbacks.length) : callbacks.length;
    const callback = callbacks[Math.floor(random() * among)];
    if (!callback) throw new Error('there are no subscriptions');
    return callback;
  }

  async function send(notification: ToSend, callback: { channel: string; path: string }): Promise<void> {
    if (notification.delayMs > 0) await sleep(notification.delayMs);
    await persist(notification, callback, true);
    if (notification.againAfterMs === null || stopping) return;
    await sleep(notification.againAfterMs);
    await persist(notification, callback, false);
  }

  async function persist(
    notification: ToSend,
    { channel, path }: { channel: string; path: string },
    first: boolean,
  ): Promise<void> {
    for (const wait of waitsMs) {
      await sleep(wait);
      const at = deps.now();
      const began = performance.now();
      if (!isTaken(await post(path, notification.body))) continue;
      if (first) note(notification, { channel, path, at, ms: performance.now() - began });
      return;
    }
    if (first) givenUp += 1;
  }

  /** Counts an answer: its status, or the code of the error. */
  function isTaken(answer: number | string): boolean {
    if (typeof answer === 'string') unanswered[answer] = (unanswered[answer] ?? 0) + 1;
    else if (answer >= 200 && answer < 300) return true;
    else refused[answer] = (refused[answer] ?? 0) + 1;
    return false;
  }

  function note(
    { id, index }: ToSend,
    { channel, path, at, ms }: { channel: string; path: string; at: number; ms: number },
  ): void {
    accepted += 1;
    latencies.push({ at, ms });
    sent.push({ notificationId: id, status: 200, subscription: path, channel, index, at });
  }

  async function post(path: string, body: string): Promise<number | string> {
    turn += 1;
    const address = deps.addresses[turn % deps.addresses.length] ?? '';
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = await request(`${address}${path}`, { method: 'POST', headers, body, dispatcher: agent });
      await answer.body.dump();
      return answer.statusCode;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    }
  }

  return {
    sent: sent as readonly Sent[],
    /** How long each acceptance took, and when it was requested. */
    latencies: latencies as readonly { readonly at: number; readonly ms: number }[],
    figures: (): SenderFigures => ({
      accepted,
      refused: { ...refused },
      unanswered: { ...unanswered },
      givenUp,
    }),
    /** Stops sending and waits for in-flight requests. */
    async stop(): Promise<void> {
      stopping = true;
      clearInterval(timer);
      await Promise.all(underWay);
      await agent.close();
    },
  };
}

export type Sender = ReturnType<typeof startSender>;
