import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type Account, runProgram } from './run-program.ts';

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
