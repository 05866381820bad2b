import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { runClosedLoop } from '../../bench/load/closed-loop.ts';
import { answerIn } from '../../bench/load/connection.ts';
import { runOpenLoop } from '../../bench/load/open-loop.ts';
import { percentile } from '../../bench/report/statistics.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const request = (number: number) => `GET /${number} HTTP/1.1\r\nHost: test\r\n\r\n`;

test('each request is sent once, and each kind of answer is counted', async () => {
  const seen: string[] = [];
  const port = await serve(({ url = '' }, response) => {
    seen.push(url);
    const status = url.endsWith('7') ? 503 : 200;
    response.writeHead(status, { 'content-length': 2 }).end('{}');
  });

  const answers = await runClosedLoop({ port, connections: 8, warmSeconds: 0, most: 100, request });

  expect(answers.statuses).toEqual({ 200: 90, 503: 10 });
  expect(new Set(seen).size).toBe(100);
  expect(answers.sent).toBe(100);
  expect(answers.latencies).toHaveLength(100);
});

test('a connection that closes without an answer is counted, and the next request opens a new one', async () => {
  const port = await serve((incoming, response) => {
    if (incoming.url === '/3') incoming.socket.destroy();
    else response.writeHead(200, { connection: 'close', 'content-length': 2 }).end('{}');
  });

  const { statuses } = await runClosedLoop({ port, connections: 1, warmSeconds: 0, most: 10, request });

  expect(statuses).toEqual({ 0: 1, 200: 9 });
});

test('a server that stalls is charged for every request that was due during the stall', async () => {
  let stalledUntil = 0;
  const port = await serve(({ url }, response) => {
    if (url === '/10') stalledUntil = performance.now() + 400;
    const wait = Math.max(0, stalledUntil - performance.now());
    setTimeout(() => response.writeHead(200, { 'content-length': 2 }).end('{}'), wait);
  });

  const { latencies, statuses, dueAt } = await runOpenLoop({ port, rate: 100, seconds: 0.5, request });

  expect(statuses).toEqual({ 200: 50 });
  // 40 of the 50 requests were due during the stall; a sender that waits for each answer would have seen only one slow request.
  expect(percentile(latencies, 0.5)).toBeGreaterThan(100);
  expect((dueAt[49] ?? 0) - (dueAt[0] ?? 0)).toBeCloseTo(490, 3);
});

test.each([
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-Len', null],
  ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{', null],
  [
    'a complete answer',
    'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}',
    { status: 404, closes: false },
  ],
  ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, closes: false }],
  [
    'the last one before a close',
    'HTTP/1.1 413 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    { status: 413, closes: true },
  ],
])('an answer is read as soon as it is complete: %s', (_what, read, answer) => {
  expect(answerIn(read)).toEqual(answer);
});
