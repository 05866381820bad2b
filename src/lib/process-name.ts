import { hostname } from 'node:os';

/** This process, as operators find it: its host, as far as the name of a connection has room for it, and its id. */
const processName = `${hostname().slice(0, 24)}/${process.pid}`;

/** Returns the name of a connection in `pg_stat_activity`: what it is for, and of which process. */
export function connectionName(purpose: string): string {
  return `${purpose} ${processName}`;
}
