import { endChild, forkPart } from './child.ts';
import type { Undo } from './undo.ts';

/** A message posted or changed, as Slack keeps it. Times are in milliseconds since the epoch. */
export type SlackEntry = {
  readonly method: string;
  /** The bot that called, by the name in its address of the API. */
  readonly source: string;
  readonly channel: string;
  readonly ts: string;
  readonly arrivedAt: number;
  /** When it was stored, at the end of the time that Slack takes to answer. */
  readonly storedAt: number;
  /** The number of the first notification that its text names; null where it names none. */
  readonly number: number | null;
};

/** The benchmark's Slack, in a process of its own. */
export type BenchSlack = {
  /** For a bot's `SLACK_API_URL`. @param source a name for the bot that uses it */
  readonly apiUrl: (source?: string) => string;
  readonly log: (from?: number) => Promise<SlackEntry[]>;
  /** From now on a channel takes one message a second, as Slack's do; more is answered 429. */
  readonly limit: () => Promise<void>;
  /** Calls that write into a channel are not answered until `release`. */
  readonly hang: (channel: string) => Promise<void>;
  readonly release: (channel: string) => Promise<void>;
  /** Who writes next into a channel; set when the call arrives, long before its answer. */
  readonly next: (channel: string) => Promise<{ source: string; method: string }>;
};

/** How long Slack takes to answer, in milliseconds. */
export const slackAnswerMs = 80;

const program = new URL('./slack-server.ts', import.meta.url);

/** Starts a Slack of one workspace. */
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
