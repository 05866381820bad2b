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

/** How much of a part's output is kept, in characters. */
const mostKept = 8_000;

/**
 * Starts one of this folder's programs in its own process and waits for its first message. What it prints is shown only if it fails: the
 * simple bot logs each call that Slack asks it to repeat.
 * @throws if it ends before its first message
 */
export async function forkPart<First>(
  program: URL,
  options: unknown,
): Promise<{ child: ChildProcess; first: First }> {
  const child = fork(program, [JSON.stringify(options)], { serialization: 'advanced', silent: true });
  let kept = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-mostKept);
    });
  }
  child.once('close', (code) => {
    if (code !== 0 && !child.killed) process.stderr.write(`${program.pathname} ended by itself:\n${kept}\n`);
  });
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
