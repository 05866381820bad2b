import { numberOf, type Series } from '../load/notification.ts';
import type { BenchDatabase } from '../stage/database.ts';
import type { SlackEntry } from '../stage/slack.ts';

/** An event that was posted. */
export type PostedEvent = {
  readonly notificationId: string;
  readonly channelId: string;
  readonly messageTs: string | null;
  /** Epoch milliseconds. */
  readonly postedAt: number | null;
};

/** The bot marks a message after Slack's response; its clock may differ from Slack's by this many milliseconds. */
const clocksApartMs = 10;

/**
 * Returns when each notification of a series was stored in Slack, by its number, in epoch milliseconds. An edited message is the same
 * message: its last write before the bot marked the event as posted counts. Notifications that no message shows are missing.
 */
export function shownAt(
  events: readonly PostedEvent[],
  log: readonly SlackEntry[],
  series: Series,
): Map<number, number> {
  const writings = new Map<string, number[]>();
  for (const { channel, ts, storedAt } of log) {
    const message = `${channel}/${ts}`;
    writings.set(message, [...(writings.get(message) ?? []), storedAt]);
  }
  const shown = new Map<number, number>();
  for (const { notificationId, channelId, messageTs, postedAt } of events) {
    const number = numberOf(series, notificationId);
    const last = writings
      .get(`${channelId}/${messageTs}`)
      ?.filter((at) => postedAt !== null && at <= postedAt + clocksApartMs)
      .at(-1);
    if (number !== null && last !== undefined) shown.set(number, last);
  }
  return shown;
}

/** Returns the events accepted since a time, in epoch milliseconds. */
export async function eventsSince({ pool }: BenchDatabase, since: number): Promise<PostedEvent[]> {
  const { rows } = await pool.query<{ id: string; channel: string; ts: string | null; posted: Date | null }>(
    `select notification_id as id, channel_id as channel, message_ts as ts, posted_at as posted
     from plancast.events where received_at >= $1 order by seq`,
    [new Date(since - 1_000)],
  );
  return rows.map(({ id, channel, ts, posted }) => ({
    notificationId: id,
    channelId: channel,
    messageTs: ts,
    postedAt: posted?.getTime() ?? null,
  }));
}
