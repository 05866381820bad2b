import type { Target } from '../load/notification.ts';
import { endChild, forkPart } from './child.ts';
import type { Undo } from './undo.ts';

const program = new URL('./afternoon-bot.ts', import.meta.url);

/** The afternoon bot, in its own process. */
export type Afternoon = { readonly port: number; readonly pid: number; readonly end: () => Promise<void> };

/** Starts one that knows all callback addresses. */
export async function startAfternoon(
  { slackApiUrl, targets }: { readonly slackApiUrl: string; readonly targets: readonly Target[] },
  undo: Undo,
): Promise<Afternoon> {
  const channels = targets.map(({ token, channelId }) => [token, channelId]);
  const { child, first } = await forkPart<{ port: number }>(program, { slackApiUrl, channels });
  const end = (): Promise<void> => endChild(child);
  undo.add(end);
  return { port: first.port, pid: child.pid ?? 0, end };
}
