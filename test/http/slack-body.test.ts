import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'slack body' });
});
afterAll(() => stage.close());

const megabyte = 1024 * 1024;
const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${stage.bot.publicUrl}/slack/events`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

/**
 * Sends this many megabytes as fast as they are accepted. Returns the answer, and how many bytes were accepted until the bot closed the
 * connection.
 */
function flood(head: string, chunk: Buffer, megabytes: number): Promise<{ answer: string; taken: number }> {
  const { hostname, port } = new URL(stage.bot.publicUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('error', () => {});
    const done = () => {
      socket.destroy();
      resolve({ answer, taken: socket.bytesWritten - socket.writableLength });
    };
    socket.on('close', done);
    let left = megabytes;
    const more = (): void => {
      if (socket.destroyed) return;
      if (left === 0) return void setTimeout(done, 1_000);
      left -= 1;
      socket.write(chunk, more);
    };
    socket.write(`POST /slack/events HTTP/1.1\r\nHost: ${hostname}\r\n${head}\r\n\r\n`, more);
  });
}

// What the kernel buffers on both ends of a loopback connection when nobody reads.
const buffers = 12 * megabyte;

test('an unsigned body of 50 MB is refused before it has arrived', async () => {
  const length = 50 * megabyte;
  const { answer, taken } = await flood(`Content-Length: ${length}`, Buffer.alloc(megabyte, 0x61), 50);
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
  expect(taken).toBeLessThan(buffers);
});

test('an unsigned body of 50 MB without a stated length is refused too', async () => {
  const chunk = Buffer.concat([
    Buffer.from(`${megabyte.toString(16)}\r\n`),
    Buffer.alloc(megabyte, 0x61),
    Buffer.from('\r\n'),
  ]);
  const { answer, taken } = await flood('Transfer-Encoding: chunked', chunk, 50);
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
  expect(taken).toBeLessThan(buffers);
});

test('a little over a megabyte is refused; a little under it is read and rejected as unsigned', async () => {
  expect((await post('x'.repeat(megabyte + 1))).status).toBe(413);
  expect((await post('x'.repeat(megabyte - 1))).status).toBe(401);
});

/** Opens connections that each send all but the last byte of a body. Returns them once they were sent, and those still open. */
async function neverFinish(path: string, { length, count }: { length: number; count: number }) {
  const { hostname, port } = new URL(stage.bot.publicUrl);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${length}\r\n\r\n`;
  const unfinished = Buffer.concat([Buffer.from(head), Buffer.alloc(length - 1, 0x61)]);
  const sockets = Array.from({ length: count }, () =>
    connect(Number(port), hostname).on('error', () => undefined),
  );
  const closed = sockets.map((socket) => once(socket, 'close'));
  for (const socket of sockets) await new Promise((resolve) => socket.write(unfinished, resolve));
  return {
    sockets,
    open: () => sockets.filter((socket) => !socket.destroyed).length,
    async end() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

test('strangers who each send almost a megabyte and never finish use 16 MB of memory at most, and Slack is answered meanwhile', async () => {
  const { sockets, open, end } = await neverFinish('/slack/events', { length: megabyte, count: 40 });
  await expect.poll(open).toBe(16);
  expect((await stage.slack.urlVerification('a-challenge')).json).toEqual({ challenge: 'a-challenge' });
  // The latest connections are the ones still open.
  expect(sockets.slice(-16).every((socket) => !socket.destroyed)).toBe(true);
  await end();
});

test('whoever knows a callback URL and never finishes sending uses 16 MB of memory at most, and others are answered meanwhile', async () => {
  await stage.link(stage.dana, 'dana@example.com');
  await stage.type(stage.dana, '/subscribe project 412-873-550');
  await stage.slack.waitForMessage(stage.plans, 'to this channel');
  const uri = stage.service.subscriptions.all()[0]?.uri ?? '';
  const { sockets, open, end } = await neverFinish(new URL(uri).pathname, {
    length: megabyte / 4,
    count: 100,
  });
  await expect.poll(open).toBe(64);
  expect(sockets.slice(-64).every((socket) => !socket.destroyed)).toBe(true);
  expect(await notify(uri, { item: 'a', name: 'A-101.pdf' })).toBe(200);
  await end();
});

test('a compressed body is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(20 * megabyte));
  expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(415);
});

test('requests that Slack signs are still accepted', async () => {
  const answer = await stage.slack.urlVerification('a-challenge');
  expect(answer.json).toEqual({ challenge: 'a-challenge' });
});
