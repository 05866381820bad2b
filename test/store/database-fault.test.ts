import { expect, test } from 'vitest';
import { databaseFault } from '../../src/store/database-fault.ts';

const failing = (message: string, fields: object) => Object.assign(new Error(message), fields);

// Messages of Postgres 15.18 with ssl = on, PgBouncer 1.18 and Node 24, recorded on loopback.
test.each<[string, Error, RegExp]>([
  [
    'the server only accepts TLS',
    failing(
      'no pg_hba.conf entry for host "127.0.0.1", user "plancast", database "plancast", no encryption',
      { code: '28000' },
    ),
    /^accepts no unencrypted connections of this user from here; add \?sslmode=verify-full/,
  ],
  [
    'no line of pg_hba.conf allows the connection',
    failing(
      'no pg_hba.conf entry for host "127.0.0.1", user "plancast", database "plancast", SSL encryption',
      { code: '28000' },
    ),
    /^accepts no connections of this user from here; add a line for them to pg_hba.conf/,
  ],
  [
    'the schema belongs to another user',
    failing('permission denied for schema plancast', { code: '42501' }),
    /^has a schema plancast or plancast_chores of another user or program; make this user its owner/,
  ],
  [
    'the user may not create the schema',
    failing('permission denied for database plancast', { code: '42501' }),
    /^does not let this user create tables; run `grant create on database/,
  ],
  [
    'the server has no TLS',
    new Error('The server does not support SSL connections'),
    /^accepts no encrypted connections; remove sslmode/,
  ],
  [
    'its certificate comes from a private authority',
    failing('unable to verify the first certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
    /; put that authority’s certificate in a file, and add sslrootcert=/,
  ],
  [
    'the certificate file is missing',
    failing("ENOENT: no such file or directory, open '/nope.pem'", { code: 'ENOENT', syscall: 'open' }),
    /^cannot be reached: a certificate file named in its address cannot be read; /,
  ],
  [
    'the certificate is for another host',
    failing("Hostname/IP does not match certificate's altnames", { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    /^presents a certificate for another host; /,
  ],
  [
    'the password is wrong',
    failing('password authentication failed for user "plancast"', { code: '28P01' }),
    /^refuses the user or the password \(28P01\); /,
  ],
  [
    'PgBouncer does not know a parameter',
    failing('unsupported startup parameter: statement_timeout', { code: '08P01' }),
    /^is behind a connection pooler .+ignore_startup_parameters = options,statement_timeout/,
  ],
])('an admin sees what to do if %s', (_what, error, line) => {
  const fault = databaseFault(error);

  expect(`${fault?.said}; ${fault?.remedy}`).toMatch(line);
});

test('a fault that no setting causes is left to a developer', () => {
  expect(databaseFault(failing('duplicate key value violates …', { code: '23505' }))).toBeNull();
  expect(databaseFault(new TypeError('x is not a function'))).toBeNull();
});
