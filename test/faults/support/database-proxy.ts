import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** Starts a proxy in front of a database; `url` is the database URL through it. */
export async function startDatabaseProxy(databaseUrl: string): Promise<TcpProxy & { readonly url: string }> {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const port = Number(url.port || 5432);
  const proxy = await startTcpProxy(folder === null ? { port } : { path: `${folder}/.s.PGSQL.${port}` });
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { ...proxy, url: url.href };
}
