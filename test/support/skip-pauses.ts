import type { PracticeSlack } from '../../sandbox/slack/practice-slack.ts';
import { betweenPostsMs } from '../../src/core/model/lane-card.ts';
import { signalLanes } from '../../src/store/lane-signals.ts';
import type { TestDatabase } from './postgres.ts';

/** Real time in which the bot reads the answer to a post, in milliseconds. A bot that takes longer rests in real time before its next post. */
const readMs = 30;

type SkipPausesDeps = {
  readonly slack: PracticeSlack;
  readonly database: TestDatabase;
  /** Advances the stage's clock. */
  readonly advance: (milliseconds: number) => void;
};

/**
 * Lets the pause between two posts in a channel pass right after each post, on the stage's clock. The bot's timers run in real time, so the
 * lane is also signaled, as another process would. Returns a function that ends this.
 */
export function skipPauses({ slack, database, advance }: SkipPausesDeps): () => void {
  const timers = new Set<NodeJS.Timeout>();
  let seen = 0;

  function skip(channelId: string): void {
    const [teamId] = slack.channels.get(channelId)?.teamIds ?? [];
    if (teamId === undefined) return;
    advance(betweenPostsMs);
    const enterpriseId = slack.workspaces.get(teamId)?.enterpriseId ?? null;
    // A test may have stopped the server. The signal is only a hint anyway.
    signalLanes(database.connect().db, [{ enterpriseId, teamId, channelId }]).catch(() => undefined);
  }

  const stop = slack.onChange(() => {
    for (let call = slack.calls[seen]; call?.outcome !== undefined; call = slack.calls[seen]) {
      seen += 1;
      if (call.method !== 'chat.postMessage' || call.outcome !== 'ok') continue;
      const { channel } = call.args;
      const timer = setTimeout(() => {
        timers.delete(timer);
        skip(String(channel));
      }, readMs);
      timers.add(timer);
    }
  });
  return () => {
    stop();
    for (const timer of timers) clearTimeout(timer);
  };
}
