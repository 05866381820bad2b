import { createServer, type RequestListener } from 'node:http';
import { listenFrom } from './demo/listen.ts';
import type { Progress } from './demo/progress.ts';
import type { Demo } from './demo/run-demo.ts';
import { startingPage } from './demo/starting-page.ts';
import { temporaryFolder } from './demo/temporary-folder.ts';

/** The page's port, or the next free one. */
const firstPort = 4000;
const parentEveryMs = 300;

const usage = `Usage: npm run demo    opens a page with the bot, a practice Slack and a practice service, at port ${firstPort} or the next free one`;

/**
 * `npm run demo`: a practice Slack, a practice service and the real bot between them, on one page. It needs no settings, and
 * leaves nothing behind but compiled code in the home folder.
 */
async function main(): Promise<void> {
  if (process.argv.length > 2) {
    process.stderr.write(`${usage}\n`);
    process.exit(2);
  }
  const began = performance.now();
  let failed = false;
  let answer: RequestListener = (_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(startingPage);
  };
  const server = createServer((request, response) => answer(request, response));
  let demo: Promise<Demo> | undefined;

  let ending = false;
  const end = async (): Promise<void> => {
    // npm forwards a Ctrl-C that the terminal has already sent to this process.
    if (ending) return;
    ending = true;
    say('Ending…');
    server.close();
    server.closeAllConnections();
    await (await demo)?.end();
    process.exit(failed ? 1 : 0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end());
  }
  endWithoutNpm(end);

  const port = await listenFrom(server, firstPort);
  const pageUrl = `http://127.0.0.1:${port}`;
  say(`Plancast demo: ${pageUrl}`);
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const reported = new Set<string>();
  const report = ({ steps, failure }: Progress): void => {
    for (const { label, done } of steps) {
      if (done && !reported.has(label)) say(`  ${label} (${seconds()})`);
      if (done) reported.add(label);
    }
    if (failure !== undefined && !failed) {
      failed = true;
      say(`${failure} Press Ctrl-C to end the demo.`);
    }
  };
  // Loaded only now, so that the address is printed immediately.
  const { runDemo } = await import('./demo/run-demo.ts');
  demo = runDemo({
    temporary: await temporaryFolder(),
    pageUrl,
    onProgress: report,
    onLastWords(lines) {
      for (const line of lines) say(`  | ${line}`);
    },
  });
  answer = (await demo).listener;
}

/**
 * Ends the demo when its parent is gone: npm sends a SIGTERM to its shell, which ends without forwarding it, and then npm
 * ends too.
 */
function endWithoutNpm(end: () => Promise<void>): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = (): void => {
    if (process.ppid !== parent) void end();
  };
  setInterval(watch, parentEveryMs).unref();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
