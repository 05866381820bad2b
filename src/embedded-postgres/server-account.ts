import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type Account, ProgramError, runProgram } from './run-program.ts';

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
  return (await findAccount(name)) ?? (await makeAccount(name));
}

async function findAccount(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([runProgram('id', ['-u', name]), runProgram('id', ['-g', name])]);
    return { uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
  } catch (error) {
    if (error instanceof ProgramError) return undefined;
    throw error;
  }
}

async function makeAccount(name: string): Promise<Account> {
  try {
    // -f: the group may exist without the user.
    await runProgram('groupadd', ['-f', '--system', name]);
    const home = ['--home-dir', '/nonexistent', '--no-create-home', '--shell', '/usr/sbin/nologin'];
    await runProgram('useradd', ['--system', '--gid', name, ...home, name]);
  } catch (error) {
    // Another bot that started at the same moment may have been first.
    const account = await findAccount(name);
    if (account) return account;
    throw new EmbeddedPostgresError(
      `Started as root, and the user "${name}" for the embedded Postgres could not be created (${messageOf(error)}). ` +
        `Create it (useradd --system ${name}), start as another user, or set DATABASE_URL.`,
      { cause: error },
    );
  }
  const account = await findAccount(name);
  if (account === undefined)
    throw new EmbeddedPostgresError(`The user "${name}" was created but cannot be found.`);
  return account;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
