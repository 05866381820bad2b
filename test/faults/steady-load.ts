import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { itemName, type Sent } from './checker.ts';

/** A subscription as the service sees it, and the channel it posts to. */
export type Follower = { readonly channelId: string; readonly uri: string };

/** One attempt to send a notification, and its answer. */
export type Try = Sent & {
  /** Milliseconds from the request to its answer or timeout. */
  readonly took: number;
  /** When the answer arrived, in milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly retryAfter: string | null;
};

export type Load = {
  /** All finished attempts. */
  readonly tries: readonly Try[];
  /** Returns how many notifications are not accepted yet. */
  readonly open: () => number;
  /** Stops sending new notifications, and waits up to `withinMs` until all that were sent are accepted. */
  readonly stop: (withinMs?: number) => Promise<void>;
};

type LoadOptions = {
  readonly to: readonly Follower[];
  readonly perSecond: number;
  /** Number of the first item: two loads on one stage must not share a number. */
  readonly firstIndex: number;
  /** How long to wait before a notification that was not accepted is sent again. */
  readonly retryMs?: number | undefined;
};

/** Longer than any answer may take, so that a hanging receiver shows up in the figures. */
const givesUpMs = 15_000;

/**
 * Sends notifications at a steady rate, to each follower in turn, without waiting for earlier answers. A notification is resent unchanged
 * until it is answered 200, so anything lost afterwards was lost by the bot.
 */
export function startLoad({ to, perSecond, firstIndex, retryMs = 500 }: LoadOptions): Load {
  const agent = new Agent({ headersTimeout: givesUpMs, bodyTimeout: givesUpMs });
  const tries: Try[] = [];
  const underWay = new Set<Promise<void>>();
  const ending = new AbortController();
  const began = performance.now();
  let count = 0;

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
    for (; count < due; count += 1) sendNext();
  }, 20);

  function sendNext(): void {
    const follower = to[count % to.length];
    if (!follower) throw new Error('nobody to send to');
    const done = sendUntilTaken(follower, firstIndex + count).finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function sendUntilTaken(follower: Follower, index: number): Promise<void> {
    const notificationId = randomUUID();
    const body = JSON.stringify(bodyOf(notificationId, index));
    while (!ending.signal.aborted) {
      const at = Date.now();
      // Behind a load balancer, a retry can go to another process.
      const { uri, channelId } = follower;
      const answer = await ask(agent, uri, body);
      tries.push({ notificationId, subscription: uri, channel: channelId, index, at, ...answer });
      if (answer.status === 200) return;
      await sleep(retryMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  return {
    tries,
    open: () => underWay.size,
    async stop(withinMs = 30_000) {
      clearInterval(timer);
      const giveUp = setTimeout(() => ending.abort(), withinMs);
      await Promise.all(underWay);
      clearTimeout(giveUp);
      await agent.destroy();
    },
  };
}

type Answer = Pick<Try, 'status' | 'took' | 'answeredAt' | 'retryAfter'>;

async function ask(dispatcher: Agent, uri: string, body: string): Promise<Answer> {
  const began = performance.now();
  const answered = (status: number | null, retryAfter: unknown = null): Answer => ({
    status,
    took: performance.now() - began,
    answeredAt: Date.now(),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
  });
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(uri, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump();
    return answered(answer.statusCode, answer.headers['retry-after']);
  } catch {
    return answered(null);
  }
}

/** Returns a notification about an item of its own, as the checker requires. */
function bodyOf(id: string, index: number): Record<string, unknown> {
  return {
    Id: id,
    Source: 2,
    Resource: '/Primes/4021/Projects/412873550/',
    Timestamp: new Date().toISOString(),
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      EventType: 'Create',
      // In a channel, each by another person than the one before, or they would join one message by edits.
      User: `person-${index % 23}@example.com`,
      IdPath: `50211/50212/${100_000 + index}`,
      Path: `Root/Plans/${itemName(index)}`,
      ItemType: 'File',
      Name: itemName(index),
    },
  };
}

/** Polls `/healthz`. `stop` returns the answers that were not 200 within a second. */
export function watchHealth(publicUrl: string): { readonly stop: () => Promise<string[]> } {
  const bad: string[] = [];
  const ending = new AbortController();
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const began = performance.now();
      const status = await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(5_000) }).then(
        async (answer) => {
          await answer.body?.cancel();
          return String(answer.status);
        },
        (error: unknown) => String(error),
      );
      const took = performance.now() - began;
      if (status !== '200' || took > 1_000) bad.push(`${status} after ${Math.round(took)} ms`);
      await sleep(200, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      ending.abort();
      await watching;
      return bad;
    },
  };
}
