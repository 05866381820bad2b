import { expect, test } from 'vitest';
import { databaseFault } from '../../src/store/database-fault.ts';

const failing = (message: string, fields: object) => Object.assign(new Error(message), fields);

// As Postgres 15.18 with ssl = on, PgBouncer 1.18 and Node 24 gave them, on loopback.
test.each<[string, Error, RegExp]>([
  [
    'the server takes TLS alone',
    failing(
      'no pg_hba.conf entry for host "127.0.0.1", user "plancast", database "plancast", no encryption',
      { code: '28000' },
    ),
    /^takes encrypted connections only; add \?sslmode=verify-full/,
  ],
  [
    'the server has no TLS',
    new Error('The server does not support SSL connections'),
    /^takes no encrypted connections; remove sslmode/,
  ],
  [
    'its certificate is of an authority of its own',
    failing('unable to verify the first certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
    /; put that authority’s certificate in a file, and add sslrootcert=/,
  ],
  [
    'that file is not there',
    failing("ENOENT: no such file or directory, open '/nope.pem'", { code: 'ENOENT', syscall: 'open' }),
    /^cannot be asked: a certificate file that its address names cannot be read; /,
  ],
  [
    'the host is not that of the certificate',
    failing("Hostname/IP does not match certificate's altnames", { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    /^shows a certificate for another host; /,
  ],
  [
    'the password is wrong',
    failing('password authentication failed for user "plancast"', { code: '28P01' }),
    /^refuses the user or the password \(28P01\); /,
  ],
  [
    'PgBouncer does not know a parameter',
    failing('unsupported startup parameter: statement_timeout', { code: '08P01' }),
    /^stands behind a pooler .+ignore_startup_parameters = options,statement_timeout/,
  ],
])('an admin reads what to do where %s', (_what, error, line) => {
  const fault = databaseFault(error);

  expect(`${fault?.said}; ${fault?.remedy}`).toMatch(line);
});

test('what no setting is the cause of is left to a developer', () => {
  expect(databaseFault(failing('duplicate key value violates …', { code: '23505' }))).toBeNull();
  expect(databaseFault(new TypeError('x is not a function'))).toBeNull();
});
