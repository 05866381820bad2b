import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { minuteMs } from '../lib/durations.ts';
import { syncFolder } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { PostgresPrograms } from './programs.ts';
import { type Account, runProgram, succeeds } from './run-program.ts';

/** The folder of a database cluster, with the password of its only user, `plancast`. */
export type Cluster = { readonly folder: string; readonly password: string };

/** Where a cluster is or will be created. */
type ClusterPlace = {
  /** `postgres` in `DATA_DIR`: the cluster itself, or a link to it. */
  readonly entry: string;
  /** Whether the cluster exists. */
  readonly made: boolean;
  /** The user that the server runs as; undefined: the bot's own user. */
  readonly account: Account | undefined;
  /** The folder that contains or will contain the cluster; the account can reach it. */
  readonly parent: string;
};

/** The password file is inside the cluster, so that neither exists without the other. */
const passwordFile = 'plancast-password';

/** Name prefix of a cluster that is being created. */
const draftPrefix = 'postgres-draft-';
/** A draft older than this is abandoned. */
const oldDraftMs = 10 * minuteMs;

/** Returns the path of the cluster, or of the link to it. */
export function clusterIn(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/**
 * Finds where the cluster of `dataDir` is or can be. If the bot runs as root, the server's user may not be able to reach `dataDir`, such as
 * one below /root. Then the cluster is kept in the first usable one of `homes`, and `dataDir` gets a link to it. Throws an
 * `EmbeddedPostgresError` if there is no usable folder.
 */
export async function placeCluster({
  dataDir,
  account,
  homes = ['/var/lib/plancast', tmpdir()],
}: {
  readonly dataDir: string;
  readonly account: Account | undefined;
  readonly homes?: readonly string[] | undefined;
}): Promise<ClusterPlace> {
  const entry = clusterIn(dataDir);
  const existing = await existingCluster(entry);
  if (existing) {
    // If the bot runs as root, the server runs as the owner of the data: an ordinary user may have started the bot before.
    const owner = account && existing.owner.uid !== 0 ? existing.owner : account;
    await refuseUnreachable(existing.folder, owner);
    return { entry, made: true, account: owner, parent: dirname(existing.folder) };
  }
  if (account === undefined || (await canEnter(dataDir, account))) {
    return { entry, made: false, account, parent: dataDir };
  }
  for (const home of homes) {
    if (await canLive(home, account)) return { entry, made: false, account, parent: home };
  }
  throw new EmbeddedPostgresError(
    `The user of the embedded Postgres cannot enter any of ${[dataDir, ...homes].join(', ')}: ` +
      'set DATA_DIR to a folder that every user can enter, or set DATABASE_URL.',
  );
}

/** Opens the cluster at `place`, creating it if it is missing. If two processes create it at once, both use the first one. */
export async function openCluster(options: {
  readonly place: ClusterPlace;
  readonly programs: PostgresPrograms;
  readonly log: Log;
  /** Called when initdb has been started. */
  readonly onWait?: (() => void) | undefined;
}): Promise<Cluster> {
  const { place, programs, log, onWait } = options;
  await removeOldDrafts(place.parent);
  if (!place.made) await makeCluster(place, programs, log, onWait);
  const folder = await realpath(place.entry);
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => 'no version')).trim();
  if (version !== programs.majorVersion) {
    throw new EmbeddedPostgresError(
      `The data in ${place.entry} are from Postgres ${version}, but the programs from ${programs.version}: ` +
        'start the release of the bot that wrote them, dump them with pg_dump and restore them here.',
    );
  }
  return { folder, password: await readFile(join(folder, passwordFile), 'utf8') };
}

/** Creates the cluster with initdb, which syncs its files. */
async function makeCluster(
  { entry, parent, account }: ClusterPlace,
  programs: PostgresPrograms,
  log: Log,
  onWait: (() => void) | undefined,
): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  const folder = parent === dirname(entry) ? entry : join(parent, `data-${suffix}`);
  // Created under another name and renamed, so that a killed bot leaves no partial cluster.
  const draft = join(parent, `${draftPrefix}${suffix}`);
  const data = join(draft, 'data');
  try {
    await mkdirFor(draft, account);
    await mkdirFor(data, account);
    const password = join(draft, passwordFile);
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
    if (account) await chown(password, account.uid, account.gid);
    const user = ['--username=plancast', `--pwfile=${password}`, '--auth=scram-sha-256'];
    const args = ['-D', data, '--no-instructions', ...user, ...locale];
    const initializing = runProgram(programs.initdb, args, account).catch(refuseCluster);
    onWait?.();
    await initializing;
    await rename(password, join(data, passwordFile));
    await syncFolder(data);
    const kept = await publish({ data, folder, entry });
    if (kept && folder !== entry) {
      log.warn(
        { folder, link: entry },
        'the embedded database is kept outside DATA_DIR, where its user can reach it',
      );
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The built-in locale does not depend on the system, so the sort order is the same everywhere. */
const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** Possible causes: a full disk or, in containers, a user id that is not in /etc/passwd. */
function refuseCluster(error: Error): never {
  throw new EmbeddedPostgresError(
    `The embedded database could not be created (${error.message}): fix that, or set DATABASE_URL.`,
    { cause: error },
  );
}

async function removeOldDrafts(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = join(parent, name);
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > oldDraftMs) await rm(draft, { recursive: true, force: true });
  }
}

/** Moves a finished cluster to its place; returns false if another process was first. */
async function publish(cluster: { data: string; folder: string; entry: string }): Promise<boolean> {
  const { data, folder, entry } = cluster;
  try {
    await rename(data, folder);
    await syncFolder(dirname(folder));
    if (folder !== entry) await symlink(folder, entry);
    await syncFolder(dirname(entry));
    return true;
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    if (folder !== entry) await rm(folder, { recursive: true, force: true });
    return false;
  }
}

/** Creates a folder of mode 0700 that belongs to `account`. */
export async function mkdirFor(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
}

/** Returns whether `folder` is a folder, not a link to one, that only the user `uid` can enter; by default the bot's own user. */
export async function isPrivateFolder(folder: string, uid = process.getuid?.()): Promise<boolean> {
  const there = await lstat(folder).catch(() => undefined);
  return there?.isDirectory() === true && there.uid === uid && (there.mode & 0o077) === 0;
}

async function existingCluster(entry: string): Promise<{ folder: string; owner: Account } | undefined> {
  const there = await lstat(entry).catch(() => undefined);
  if (there === undefined) return undefined;
  try {
    const { uid, gid } = await stat(entry);
    return { folder: await realpath(entry), owner: { uid, gid } };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded database that ${entry} points at is missing: restore it, or remove ${entry} to start empty.`,
      { cause: error },
    );
  }
}

async function refuseUnreachable(folder: string, account: Account | undefined): Promise<void> {
  if (await canEnter(folder, account)) return;
  const who = account ? `user ${account.uid}, who runs the embedded Postgres` : `user ${process.getuid?.()}`;
  throw new EmbeddedPostgresError(
    `The embedded database in ${folder} cannot be entered by ${who}: start the bot as the user that created it, ` +
      'or make the folders above it enterable (chmod a+x).',
  );
}

async function canLive(home: string, account: Account): Promise<boolean> {
  const made = await mkdir(home, { recursive: true }).catch(() => undefined);
  if (made !== undefined) await chmod(home, 0o755);
  return canEnter(home, account);
}

/** Whether the account can enter a folder. Tries it, because modes do not show access lists and mounts. */
function canEnter(folder: string, account: Account | undefined): Promise<boolean> {
  return succeeds(runProgram('sh', ['-c', 'cd -- "$1"', 'sh', folder], account));
}
