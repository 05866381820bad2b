import type { Server } from 'node:http';
import { http } from '../../lib/node-http.ts';
import type { Metrics } from './metrics.ts';

/**
 * Timeouts in milliseconds, and the maximum number of connections. The collector is nearby and asks every few seconds. `check`: how often Node
 * looks for requests that take too long, by default every 30 s. `silent`: how long a client can leave a response unread.
 */
const limits = {
  check: 1_000,
  headers: 5_000,
  request: 5_000,
  silent: 5_000,
  keepAlive: 30_000,
  connections: 50,
};

/** Makes the server of `/metrics`, with a port of its own since metrics are not public. `metrics`: null while the process starts. */
export function makeMetricsServer(metrics: () => Pick<Metrics, 'text' | 'contentType'> | null): Server {
  const server = http.createServer({ connectionsCheckingInterval: limits.check }, (request, response) => {
    request.resume();
    const answer = (status: number, type: string, text: string) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    if (request.url?.split('?')[0] !== '/metrics') return answer(404, 'text/plain', 'Nothing here.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(405, 'text/plain', 'Only GET works here.\n');
    const now = metrics();
    if (now === null) return answer(503, 'text/plain', 'Starting.\n');
    now.text().then(
      (text) => answer(200, now.contentType, text),
      () => answer(500, 'text/plain', 'Something went wrong.\n'),
    );
  });
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.timeout = limits.silent;
  server.keepAliveTimeout = limits.keepAlive;
  server.maxConnections = limits.connections;
  return server;
}
