import { endChild, forkPart } from './child.ts';
import type { Undo } from './undo.ts';

/** A message that was posted or edited, as Slack stores it. Times are in epoch milliseconds. */
export type SlackEntry = {
  readonly method: string;
  /** The bot that called, by the name in its API URL. */
  readonly source: string;
  readonly channel: string;
  readonly ts: string;
  readonly arrivedAt: number;
  /** When it was stored, at the end of Slack's delay. */
  readonly storedAt: number;
  /** The number of the first notification named in its text; null if there is none. */
  readonly number: number | null;
};

/** The benchmark's Slack, in its own process. */
export type BenchSlack = {
  /**
   * Returns the value for a bot's `SLACK_API_URL`.
   * @param source a name for the bot that uses it
   */
  readonly apiUrl: (source?: string) => string;
  readonly log: (from?: number) => Promise<SlackEntry[]>;
  /** From now on a channel accepts one message per second, as in Slack; others are answered with 429. */
  readonly limit: () => Promise<void>;
  /** Calls that write to a channel are not answered until `release`. */
  readonly hang: (channel: string) => Promise<void>;
  readonly release: (channel: string) => Promise<void>;
  /** Resolves with the next caller that writes to a channel, when the call arrives and long before its answer. */
  readonly next: (channel: string) => Promise<{ source: string; method: string }>;
};

/** Slack's response time in milliseconds. */
export const slackAnswerMs = 80;

const program = new URL('./slack-server.ts', import.meta.url);

/** Starts a Slack with one workspace. */
export async function startSlack(teamId: string, undo: Undo): Promise<BenchSlack> {
  const { child, first } = await forkPart<{ port: number }>(program, { answerMs: slackAnswerMs, teamId });
  undo.add(() => endChild(child));
  const origin = `http://127.0.0.1:${first.port}`;
  const ask = async (path: string): Promise<unknown> => (await fetch(`${origin}/bench/${path}`)).json();
  return {
    apiUrl: (source = 'bot') => `${origin}/${source}/api/`,
    log: async (from = 0) => (await ask(`log?from=${from}`)) as SlackEntry[],
    limit: async () => void (await ask('limit')),
    hang: async (channel) => void (await ask(`hang?channel=${channel}`)),
    release: async (channel) => void (await ask(`release?channel=${channel}`)),
    next: async (channel) => (await ask(`next?channel=${channel}`)) as { source: string; method: string },
  };
}
