import { execFile } from 'node:child_process';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** The user a program runs as, if not the bot's own. */
export type Account = { readonly uid: number; readonly gid: number };

/** A program failed. The message contains the line of its output that says why: initdb tidies up after it and says so last. */
class ProgramError extends Error {
  override readonly name = 'ProgramError';
  constructor(program: string, output: string, options: ErrorOptions) {
    const lines = output.trim().split('\n');
    super(
      `${program} failed: ${lines.find((line) => /\b(error|fatal|panic):/i.test(line)) ?? lines.at(-1)}`,
      options,
    );
  }
}

/**
 * Runs a program, as `account` if given, and returns its stdout. Throws `ProgramError`. The environment is minimal, so that no `PG…`
 * variable or locale of this machine applies; the working directory is one that every user can enter.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  account?: Account | undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: '/', env: bareEnvironment, timeout: 120_000, ...account };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new ProgramError(program, stderr || error.message, { cause: error }));
    });
  });
}

/** Whether a program or query ends without an error. */
export function succeeds(ending: Promise<unknown>): Promise<boolean> {
  return ending.then(
    () => true,
    () => false,
  );
}

/** Only what the programs of Postgres and the system need. */
export const bareEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
} as const;

/**
 * Returns the user that the embedded server runs as: the bot's own user (undefined) or, since Postgres refuses to run as root, the user
 * `postgres`, which is created if missing. Throws `EmbeddedPostgresError` with the remedy if that fails.
 */
export async function serverAccount(options: {
  readonly uid: number;
  readonly name?: string | undefined;
}): Promise<Account | undefined> {
  const { uid, name = 'postgres' } = options;
  if (uid !== 0) return undefined;
  const found = await findAccount(name);
  if (found) return found;
  const refusal = await makeAccount(name).catch((error: unknown) => error);
  // Another bot that started at the same moment may have been first.
  const made = await findAccount(name);
  if (made) return made;
  const why = refusal instanceof Error ? ` (${refusal.message})` : '';
  throw new EmbeddedPostgresError(
    `Started as root, and the user "${name}" for the embedded Postgres could not be created${why}. ` +
      `Create it (useradd --system ${name}), start as another user, or set DATABASE_URL.`,
    { cause: refusal },
  );
}

function findAccount(name: string): Promise<Account | undefined> {
  return Promise.all([runProgram('id', ['-u', name]), runProgram('id', ['-g', name])]).then(
    ([uid, gid]) => ({ uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) }),
    () => undefined,
  );
}

async function makeAccount(name: string): Promise<void> {
  // -f: the group may exist without the user.
  await runProgram('groupadd', ['-f', '--system', name]);
  const home = ['--home-dir', '/nonexistent', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await runProgram('useradd', ['--system', '--gid', name, ...home, name]);
}
