import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { packagedFolder, postgresPrograms } from '../../src/embedded-postgres/programs.ts';
import { runProgram, serverAccount } from '../../src/embedded-postgres/run-program.ts';
import { makeMachine } from '../failover/machine.ts';
import { freePort } from './child-bot.ts';
import { silentLog } from './log.ts';

/** A server that only accepts encrypted connections, with a certificate for `localhost` from a certificate authority of its own. */
export type EncryptingPostgres = {
  /** With the host name of the certificate, and without `sslmode`. */
  readonly url: string;
  /** The same server under a host name that the certificate does not cover. */
  readonly urlOfOtherName: string;
  /** The file with the authority's certificate. */
  readonly authority: string;
  /** Follows the server as an asynchronous standby does, until the returned function is called. */
  readonly follow: () => Promise<() => Promise<void>>;
  readonly stop: () => Promise<void>;
};

/** Why such a server cannot be created here; null if it can. */
export const encryptingNeeds = existsSync('/usr/bin/openssl') ? null : 'openssl (apt-get install openssl)';

const password = 'hunter2';

/** Starts a Postgres that accepts only encrypted connections. Needs what `encryptingNeeds` names. */
export async function startEncryptingPostgres(): Promise<EncryptingPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-tls-'));
  await chmod(folder, 0o755);
  const account = await serverAccount({ uid: process.getuid?.() ?? -1 });
  const programs = await postgresPrograms({
    packaged: packagedFolder(),
    account,
    creates: true,
    copiesIn: folder,
    log: silentLog,
  });
  const machine = await makeMachine(join(folder, 'server'), account);
  const at = (name: string) => join(machine.folder, name);
  const authority = join(folder, 'authority.pem');
  makeCertificates({ authority, key: at('server.key'), certificate: at('server.pem') });
  await writeFile(at('password'), password);
  const own = [at('server.key'), at('server.pem'), at('password')];
  for (const file of own) {
    await chmod(file, 0o600);
    if (account) await chown(file, account.uid, account.gid);
  }
  const data = at('data');
  const user = ['--username=plancast', `--pwfile=${at('password')}`, '--auth=scram-sha-256'];
  await runProgram(
    programs.initdb,
    ['-D', data, '--encoding=UTF8', '--no-instructions', '--no-sync', ...user],
    account,
  );
  // Postgres uses the first matching line; an unencrypted connection matches none, and so does one to another database.
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl postgres,replication all all scram-sha-256\n');
  const port = await freePort();
  const settings = {
    port: String(port),
    listen_addresses: 'localhost',
    unix_socket_directories: '',
    ssl: 'on',
    ssl_cert_file: at('server.pem'),
    ssl_key_file: at('server.key'),
    wal_level: 'replica',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await machine.run(programs.postgres, ['-D', data, ...args]);
  const address = (host: string) => `postgres://plancast:${password}@${host}:${port}/postgres`;
  const ssl = { ca: await readFile(authority, 'utf8') };
  await answering(() => new pg.Client({ connectionString: address('localhost'), ssl }));
  return {
    url: address('localhost'),
    urlOfOtherName: address('127.0.0.1'),
    authority,
    follow: async () => {
      // pg supports `replication`, but its types do not have it yet.
      const options = { connectionString: address('localhost'), ssl, replication: 'true' };
      const standby = new pg.Client(options as pg.ClientConfig);
      standby.on('error', () => undefined);
      await standby.connect();
      return () => standby.end();
    },
    stop: async () => {
      await machine.kill();
      await rm(folder, { recursive: true });
    },
  };
}

function makeCertificates(files: { authority: string; key: string; certificate: string }): void {
  const authorityKey = `${files.authority}.key`;
  const request = `${files.certificate}.csr`;
  const openssl = (...args: string[]) => execFileSync('/usr/bin/openssl', args, { stdio: 'ignore' });
  const newKey = (key: string) => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'],
    key,
  ];
  const days = ['-days', '2'];
  openssl(
    'req',
    '-x509',
    ...newKey(authorityKey),
    '-out',
    files.authority,
    ...days,
    '-subj',
    '/CN=Studio CA',
  );
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  openssl('req', ...newKey(files.key), '-out', request, ...names);
  const signer = ['-CA', files.authority, '-CAkey', authorityKey, '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-in',
    request,
    ...signer,
    '-out',
    files.certificate,
    ...days,
    '-copy_extensions',
    'copy',
  );
}

async function answering(make: () => pg.Client): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const client = make();
    client.on('error', () => undefined);
    const found = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (found) return;
    await sleep(100);
  }
  throw new Error('the server does not answer');
}
