import type { LoadResult, LoadTask } from '../load/load-task.ts';
import { endChild, forkPart, nextMessage } from './child.ts';
import type { Undo } from './undo.ts';

/** A load generator in its own process. It runs one task at a time. */
export type Load = { readonly run: <Task extends LoadTask>(task: Task) => Promise<LoadResult<Task>> };

const program = new URL('../load/load-process.ts', import.meta.url);

/** Starts a load generator. */
export async function startLoad(undo: Undo): Promise<Load> {
  const { child } = await forkPart(program, {});
  undo.add(() => endChild(child));
  return {
    async run<Task extends LoadTask>(task: Task) {
      const answer = nextMessage<{ result: LoadResult<Task> } | { error: string }>(child);
      child.send(task);
      const message = await answer;
      if ('error' in message) throw new Error(message.error);
      return message.result;
    },
  };
}
