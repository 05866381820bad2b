import { createHash } from 'node:crypto';
import { earlier } from '../../lib/durations.ts';
import { type Db, run, wrote } from '../sql.ts';

// The table `seen_requests`: ids of Slack requests that were already taken, so that a repeated one takes effect only once, and when the bot
// last answered a person's mention or greeted in a channel. Stored only as SHA-256: the id of a command contains what was typed.

/** Marks a request as seen; returns false if it was seen before. */
export const take = (db: Db, request: string, now: Date): Promise<boolean> =>
  wrote(db)`
    insert into plancast.seen_requests (id, seen_at) values (${idOf(request)}, ${now}) on conflict do nothing`;

/** The same for something that may happen again, but not within so many milliseconds: at most a day, after which it is forgotten. */
export const takeAgain = (db: Db, what: string, now: Date, withinMs: number): Promise<boolean> =>
  wrote(db)`
    insert into plancast.seen_requests as r (id, seen_at) values (${idOf(what)}, ${now})
    on conflict (id) do update set seen_at = excluded.seen_at where r.seen_at <= ${earlier(now, withinMs)}`;

/** Deletes requests taken before `before`. */
export const forget = (db: Db, before: Date): Promise<void> =>
  run(db)`delete from plancast.seen_requests where seen_at < ${before}`;

function idOf(request: string): string {
  return createHash('sha256').update(request).digest('base64url');
}
