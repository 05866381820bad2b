import { endChild, forkPart } from './child.ts';
import type { BenchDatabase } from './database.ts';
import type { Undo } from './undo.ts';

const program = new URL('./bare-server.ts', import.meta.url);

/** A bare server that the bot is compared with. */
export type Bare = { readonly port: number; readonly pid: number; readonly end: () => Promise<void> };

/** Starts one; its table has the columns and indexes of `events`. */
export async function startBare(
  task: { readonly mode: 'answer' | 'insert' | 'batch' } | { readonly mode: 'relay'; slackApiUrl: string },
  database: BenchDatabase,
  undo: Undo,
): Promise<Bare> {
  await database.pool.query('create table if not exists bench_events (like plancast.events including all)');
  const { child, first } = await forkPart<{ port: number }>(program, { ...task, databaseUrl: database.url });
  const end = (): Promise<void> => endChild(child);
  undo.add(end);
  return { port: first.port, pid: child.pid ?? 0, end };
}
