import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SlackActs, SlackReady, SlackReply, SlackSettings } from './slack-acts.ts';

const program = fileURLToPath(new URL('./slack-program.ts', import.meta.url));

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** Starts the practice Slack in its own process. */
export async function startSlackProcess(settings: SlackSettings) {
  // In its own process group, so that a Ctrl-C in the terminal does not reach it.
  const child = fork(program, [JSON.stringify(settings)], { detached: true, env: {} });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the practice Slack ended with ${code}`));
    waiting.clear();
  });
  const [first] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the practice Slack ended with ${code}`);
    }),
  ]);
  const ready = first as SlackReady;
  child.on('message', (message) => {
    const reply = message as SlackReply;
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.ok) asked?.resolve(reply.value);
    else asked?.reject(new Error(reply.problem));
  });

  return {
    ...ready,
    /** Sends a request and returns its result. Rejects if the process has ended. */
    ask<Act extends keyof SlackActs>(
      act: Act,
      given: SlackActs[Act]['given'],
    ): Promise<SlackActs[Act]['gives']> {
      last += 1;
      const id = last;
      return new Promise<SlackActs[Act]['gives']>((resolve, reject) => {
        // The result has the type of the request's name: the program's table uses the same types.
        waiting.set(id, { resolve: (value) => resolve(value as SlackActs[Act]['gives']), reject });
        child.send({ id, act, given }, (error) => {
          if (error) reject(error);
        });
      });
    },
    /** Kills it, whatever it is doing. */
    kill(): void {
      child.kill('SIGKILL');
    },
  };
}

export type SlackProcess = Awaited<ReturnType<typeof startSlackProcess>>;
