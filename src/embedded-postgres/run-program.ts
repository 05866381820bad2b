import { execFile } from 'node:child_process';

/** The user a program runs as, if not the bot's own. */
export type Account = { readonly uid: number; readonly gid: number };

/** A program failed. The message contains the last line of its output. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  constructor(program: string, output: string, options: ErrorOptions) {
    super(`${program} failed: ${output.trim().split('\n').at(-1) ?? ''}`, options);
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
