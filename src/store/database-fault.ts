import { EndError, exitCodes } from '../lib/end-error.ts';
import { codeOf } from '../lib/error-code.ts';

/** What is wrong with a database, phrased to follow "it …", and what to do about it. Neither quotes an address or a password. */
export type DatabaseFault = {
  readonly said: string;
  readonly remedy: string;
  /** Set if the fault stays until a setting is changed, so that waiting is pointless. */
  readonly lasts?: true;
};

const unknownIssuer = {
  said: 'presents a certificate from an authority that is not trusted here',
  remedy:
    'put that authority’s certificate in a file, and add sslrootcert=/path/of/the/file.pem to the address',
  lasts: true,
} as const;

const pooler = {
  said: 'is behind a connection pooler that refuses the settings of this bot’s connections',
  remedy:
    'give the address of Postgres itself, or set pool_mode = session and ignore_startup_parameters =' +
    ' options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout in PgBouncer',
  lasts: true,
} as const;

/** Faults that can also be detected without an error. */
export const databaseFaults = {
  readOnly: {
    said: 'accepts no writes (it is a standby)',
    remedy: 'give the address of the primary',
  },
  mayNotCreate: {
    said: 'does not let this user create tables',
    remedy: 'run `grant create on database NAME to USER` as its owner',
  },
} as const satisfies Readonly<Record<string, DatabaseFault>>;

const foreign = {
  said: 'has a schema plancast or plancast_chores of another user or program',
  remedy: 'make this user its owner and that of its tables, rename it, or use another database',
} as const;

/** Faults by the five-character code of Postgres, or the code of the system or TLS. */
const faults: Readonly<Record<string, DatabaseFault>> = {
  '3D000': {
    said: 'has no database of that name',
    remedy: 'create the database, or correct its name in the address',
  },
  '25006': databaseFaults.readOnly,
  '42501': databaseFaults.mayNotCreate,
  // No column, and no table, of a name that only this bot's have.
  '42703': foreign,
  '42P01': foreign,
  '53100': {
    said: 'has no room left on its disk',
    remedy: 'make room there, or give the database a larger disk',
  },
  '53300': {
    said: 'has no connections left',
    remedy: 'raise max_connections in Postgres, or run fewer processes',
  },
  '57P03': { said: 'is starting or stopping', remedy: 'try again when Postgres is ready' },
  ECONNREFUSED: {
    said: 'cannot be reached (nothing listens there)',
    remedy: 'start Postgres, or correct host and port in the address',
  },
  ENOTFOUND: { said: 'cannot be reached (there is no such host)', remedy: 'correct the host in the address' },
  EAI_AGAIN: {
    said: 'cannot be reached (its host name cannot be looked up right now)',
    remedy: 'check this machine’s name servers',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_HAS_EXPIRED: {
    said: 'presents a certificate that has expired',
    remedy: 'renew the server’s certificate',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    said: 'presents a certificate for another host',
    remedy: 'use the host name that is in the certificate',
    lasts: true,
  },
};

/** Returns the error that ends a process for such a fault; null if no setting is the cause. */
export function databaseEnd(cause: unknown): EndError | null {
  const fault = databaseFault(cause);
  if (fault === null) return null;
  const sentence = `The database of DATABASE_URL ${fault.said}: ${fault.remedy}.`;
  return new EndError(sentence, exitCodes.unavailable, { cause });
}

/** Returns what an admin can do about an error of `pg`; null if no setting is the cause. */
export function databaseFault(error: unknown): DatabaseFault | null {
  const message = error instanceof Error ? error.message : '';
  const code = codeOf(error);
  // Postgres writes "no encryption"; releases before 14 wrote "SSL off".
  if (/no encryption|SSL off|SSL is required|SSL connection is required/i.test(message)) {
    return {
      said: 'accepts no unencrypted connections of this user from here',
      remedy: 'add ?sslmode=verify-full to the address, or a line for them to pg_hba.conf',
      lasts: true,
    };
  }
  if (message.startsWith('no pg_hba.conf entry')) {
    return {
      said: 'accepts no connections of this user from here',
      remedy: 'add a line for them to pg_hba.conf',
      lasts: true,
    };
  }
  if (message === 'The server does not support SSL connections') {
    return {
      said: 'accepts no encrypted connections',
      remedy: 'remove sslmode from the address, or turn on ssl in Postgres',
      lasts: true,
    };
  }
  // PgBouncer's error for a setting that it does not know in the first packet of a connection.
  if (code === '08P01' && message.includes('startup parameter')) return pooler;
  if (code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'open') {
    return {
      said: 'cannot be reached: a certificate file named in its address cannot be read',
      remedy: 'correct the path in sslrootcert, sslcert or sslkey',
      lasts: true,
    };
  }
  if (code === '42501' && !message.includes('for database')) return foreign;
  if (code.startsWith('28')) {
    return {
      said: `refuses the user or the password (${code})`,
      remedy: 'correct them in the address, and percent-encode special characters',
      lasts: true,
    };
  }
  if (/timeout/i.test(message) || code === 'ETIMEDOUT') {
    return {
      said: 'does not answer in time',
      remedy: 'check that this machine can reach it, also through firewalls',
    };
  }
  return faults[code] ?? null;
}
