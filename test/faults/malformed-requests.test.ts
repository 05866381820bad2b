import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliver, lookFromOutside, notificationFor, type Upstream } from '../contract/outside.ts';
import { type FaultWorld, isAlive, startFaultWorld } from './endure.ts';

/** The server checks for slow requests every 2 s; headers have 10 s, whole requests 15 s. */
const closedWithinMs = 18_000;
const idleSockets = 300;

let world: FaultWorld;
let up: Upstream;
let port: number;
let path: string;
beforeAll(async () => {
  world = await startFaultWorld({ name: 'malformed requests' });
  const outside = lookFromOutside(world.stage);
  ({ up } = await outside.following('/subscribe project 412-873-550 digest daily 04:00'));
  await outside.close();
  port = Number(new URL(up.uri).port);
  path = new URL(up.uri).pathname;
});
afterAll(() => world.close());

type Ended = { readonly status: string; readonly afterMs: number; readonly answers: number };

/** Sends bytes, lets `more` continue, and returns how the connection ended. */
async function abuse(first: string, more: (socket: Socket) => void = () => undefined): Promise<Ended> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  const began = performance.now();
  socket.on('data', (data) => {
    heard += data.toString('latin1');
  });
  // A reset counts as a normal end.
  socket.on('error', () => undefined);
  const closing = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  socket.write(Buffer.from(first, 'latin1'));
  more(socket);
  await Promise.race([closing, sleep(closedWithinMs + 4_000)]);
  const afterMs = Math.round(performance.now() - began);
  const closed = socket.closed;
  socket.destroy();
  const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
  return {
    status: closed ? (statuses.at(-1) ?? 'closed') : 'open',
    afterMs,
    answers: statuses.length,
  };
}

const good = () => JSON.stringify(notificationFor(up));
const post = (headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`;

const atOnce: readonly [string, () => string, string[]][] = [
  ['a header split by a bare CR', () => post('X: a\rEvil: b\r\nContent-Length: 2', '{}'), ['400']],
  ['a header folded over two lines', () => post('X: a\r\n b\r\nContent-Length: 2', '{}'), ['400']],
  ['a NUL in a header', () => post('X: a\0b\r\nContent-Length: 2', '{}'), ['400']],
  ['a space before the colon', () => post('Content-Length : 2', '{}'), ['400']],
  ['a header of 1 MB', () => post(`X: ${'a'.repeat(1_000_000)}`, ''), ['431', 'closed']],
  [
    '20,000 headers',
    () => post(Array.from({ length: 20_000 }, (_, at) => `X${at}: 1`).join('\r\n'), ''),
    ['431', 'closed'],
  ],
  [
    'Content-Length and Transfer-Encoding',
    () => post('Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    ['400'],
  ],
  ['two different lengths', () => post('Content-Length: 2\r\nContent-Length: 3', '{} '), ['400']],
  ['a list of lengths', () => post('Content-Length: 2, 3', '{} '), ['400']],
  ['a negative length', () => post('Content-Length: -2', '{}'), ['400']],
  ['a signed length', () => post('Content-Length: +2', '{}'), ['400']],
  [
    'an unknown transfer encoding',
    () => post('Transfer-Encoding: xchunked', '0\r\n\r\n'),
    ['400', '501', 'closed'],
  ],
  [
    'chunked before another encoding',
    () => post('Transfer-Encoding: chunked, identity', '0\r\n\r\n'),
    ['400'],
  ],
  [
    'a chunk size that is not a number',
    () => post('Transfer-Encoding: chunked', 'ZZ\r\n{}\r\n0\r\n\r\n'),
    ['400'],
  ],
  ['a chunk of 2^68 bytes', () => post('Transfer-Encoding: chunked', 'FFFFFFFFFFFFFFFFF\r\n'), ['400']],
  [
    'a chunk longer than its stated size',
    () => post('Transfer-Encoding: chunked', '2\r\n{}}}\r\n0\r\n\r\n'),
    ['400'],
  ],
  ['a missing Host header', () => `POST ${path} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`, ['400']],
  ['a space in the URL', () => `POST ${path} x HTTP/1.1\r\nHost: a\r\n\r\n`, ['400']],
  ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ['400', '505', 'closed']],
  ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', ['400', 'closed']],
  ['bytes that are not HTTP', () => `${'\x00\xff'.repeat(500)}\r\n\r\n`, ['400', 'closed']],
  ['a second request hidden in the body', () => `${post('Content-Length: 2', '{}')}GARBAGE\r\n\r\n`, ['400']],
];

const slowly: readonly [string, () => Promise<Ended>][] = [
  ['headers at one byte per second', () => abuse(`POST ${path} HTTP/1.1\r\nHost: a\r\nX: `, drip)],
  ['a body at one byte per second', () => abuse(post('Content-Length: 1000', '{'), drip)],
  [
    'chunks at one byte per second',
    () => abuse(post('Transfer-Encoding: chunked', ''), (socket) => drip(socket, '1\r\n \r\n')),
  ],
  [
    'a body at one byte per second for a route that answers without reading it',
    () => abuse('POST /link/none HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{', drip),
  ],
  ['a body that never comes', () => abuse(post('Content-Length: 1000', ''))],
  ['a request line that never ends', () => abuse('POST /')],
  ['a connection without a request', () => abuse('')],
];

function drip(socket: Socket, what = 'a'): void {
  const timer = setInterval(() => {
    if (socket.writable) socket.write(what);
  }, 1_000);
  socket.on('close', () => clearInterval(timer));
}

test.each(atOnce)('%s: refused at once', async (_what, bytes, allowed) => {
  const { status, afterMs } = await abuse(bytes(), (socket) => {
    // The server closes refused connections; one that only waits for more ends up as `open`.
    socket.setTimeout(closedWithinMs);
  });
  expect(allowed).toContain(status);
  expect(afterMs).toBeLessThan(3_000);
});

test('slow and idle connections are closed, and meanwhile others are served as usual', async () => {
  const took: number[] = [];
  const statuses = new Set<number>();
  const ending = new AbortController();
  const served = (async () => {
    while (!ending.signal.aborted) {
      const began = performance.now();
      const answer = await deliver(up.uri, good());
      await answer.text();
      statuses.add(answer.status);
      took.push(performance.now() - began);
      await sleep(50);
    }
  })();
  const idle = Array.from({ length: idleSockets }, () => abuse(''));
  const ended = await Promise.all(slowly.map(async ([what, run]) => ({ what, ...(await run()) })));
  const idlers = await Promise.all(idle);
  ending.abort();
  await served;
  took.sort((one, other) => one - other);
  const p99 = Math.round(took[Math.floor(took.length * 0.99)] ?? 0);
  const idleMs = Math.max(...idlers.map(({ afterMs }) => afterMs));
  process.stderr.write(`slow requests: ${JSON.stringify({ ended, idleMs, served: took.length, p99 })}\n`);
  expect([...statuses]).toEqual([200]);
  expect(p99).toBeLessThan(1_000);
  expect(isAlive(world.child.pid)).toBe(true);
  expect.soft(ended.filter(({ afterMs }) => afterMs > closedWithinMs)).toEqual([]);
  expect.soft(idleMs).toBeLessThan(closedWithinMs);
}, 60_000);
