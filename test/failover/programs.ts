import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of a highly available Postgres, with full paths. `postgres` is the folder of a server's programs. */
export type Programs = {
  readonly patroni: string;
  readonly patronictl: string;
  readonly etcd: string;
  readonly haproxy: string;
  readonly postgres: string;
};

/** The Debian package that each program comes in. */
const packages: Readonly<Record<keyof Programs, string>> = {
  patroni: 'patroni',
  patronictl: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  postgres: 'postgresql',
};

/** Finds the programs; if some are missing, returns a sentence that says what to install. */
export function findPrograms(): Programs | { readonly missing: string } {
  const found = {
    patroni: find('patroni'),
    patronictl: find('patronictl'),
    etcd: find('etcd'),
    haproxy: find('haproxy'),
    // pg_rewind, which turns a former primary into a standby, does not ship with the embedded Postgres.
    postgres: globSync('/usr/lib/postgresql/*/bin')
      .filter((folder) => isProgram(join(folder, 'pg_rewind')) && isProgram(join(folder, 'postgres')))
      .sort((one, other) => versionOf(other) - versionOf(one))[0],
  };
  const missing = Object.entries(found).flatMap(([name, path]) =>
    path === undefined ? [packages[name as keyof Programs]] : [],
  );
  if (missing.length > 0) {
    return { missing: `needs the Debian packages ${[...new Set(missing)].join(', ')} (apt-get install)` };
  }
  return found as Programs;
}

function find(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(folder: string): number {
  return Number(/\/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
}
