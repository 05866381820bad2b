import { runClosedLoop } from './closed-loop.ts';
import type { LoadTask } from './load-task.ts';
import { makeMalformed } from './malformed.ts';
import { notificationBody, requestText, type Target } from './notification.ts';
import { runOpenLoop } from './open-loop.ts';
import { makeRandom } from './random.ts';

/** The load generator's process: takes one task at a time from its parent, and exits with it. */
process.on('disconnect', () => process.exit(0));
process.on('message', (task: LoadTask) => {
  perform(task).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

function perform(task: LoadTask) {
  switch (task.kind) {
    case 'closed':
      return runClosedLoop({ ...task, request: inTurn(task.targets, task.mark) });
    case 'open':
      return runOpenLoop({ ...task, request: anywhere(task.targets, task.mark) });
    case 'malformed':
      return runClosedLoop({ ...task, warmSeconds: 0, request: makeMalformed(task.target) });
  }
}

function inTurn(targets: readonly Target[], mark: string): (number: number) => string {
  return (number) => requestTo(targets[number % targets.length], mark, number);
}

/** Chooses channels at random, so that sometimes one gets several within a second. */
function anywhere(targets: readonly Target[], mark: string): (number: number) => string {
  const random = makeRandom(7);
  return (number) => requestTo(targets[Math.floor(random() * targets.length)], mark, number);
}

function requestTo(target: Target | undefined, mark: string, number: number): string {
  if (target === undefined) throw new Error('there is nowhere to send to');
  return requestText(target.token, notificationBody(target, { mark }, number));
}

process.send?.({ ready: true });
