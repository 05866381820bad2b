import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process by its id and waits until it is gone. Does nothing if it has already ended. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/**
 * Starts one of this folder's programs in its own process and waits for its first message.
 * @throws if it ends before that
 */
export async function forkPart<First>(
  program: URL,
  options: unknown,
): Promise<{ child: ChildProcess; first: First }> {
  const child = fork(program, [JSON.stringify(options)], { serialization: 'advanced' });
  const first = await nextMessage<First>(child);
  return { child, first };
}

/** Returns the next message of a child. Rejects if it ends instead. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`a process of the benchmark ended: ${child.spawnargs.join(' ')}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Message);
    });
  });
}
