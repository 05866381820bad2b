import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';

/**
 * The part of a bot that has an embedded database. Run as a program with its options in JSON, it prints one line of JSON when it is ready
 * or refused, and stops its server on SIGTERM. It only imports what a copy of `src/embedded-postgres` and `src/lib` contains.
 */
const options: { dataDir: string; homes?: string[] } = JSON.parse(process.argv[2] ?? '{}');

const said: string[] = [];
const say = (_fields: unknown, message: string): void => {
  said.push(message);
};

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function run(): Promise<void> {
  let server: EmbeddedPostgres;
  const began = performance.now();
  try {
    server = await startEmbeddedPostgres({ ...options, log: { info: say, warn: say, error: say } });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'unknown', message: String(error) };
    print({ refused: name, message });
    process.exitCode = 1;
    return;
  }
  print({ url: server.url, ms: Math.round(performance.now() - began), said });
  process.once('SIGTERM', () => {
    server.stop().then(
      () => print({ stopped: true }),
      () => {
        process.exitCode = 1;
      },
    );
  });
}

await run();
