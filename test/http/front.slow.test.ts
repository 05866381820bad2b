import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { closeServer, listen, makeFront } from '../../src/http/front.ts';
import { silentDebugLog } from '../support/log.ts';

const nextTick = promisify(process.nextTick);
const agents: Agent[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

/** Returns a caller that keeps its connections alive, as load balancers do. */
function caller(port: number) {
  const agent = new Agent({ keepAlive: true });
  agents.push(agent);
  return async (path: string) => {
    const sent = request({ port, host: '127.0.0.1', path, agent }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode as number, headers: answer.headers, reused: sent.reusedSocket };
  };
}

/** Starts the bot's HTTP front, with one answer to everything. */
async function setFront() {
  const front = makeFront({ trustProxy: 0, isReady: async () => true, log: silentDebugLog });
  front.open({ routes: [(_asked, response) => response.send('here'.repeat(125))], first: null });
  const port = await listen(front.server, { port: 0, host: '127.0.0.1' });
  return { front, port };
}

test('a load balancer that keeps an idle connection for a minute can reuse it', async () => {
  const { front, port } = await setFront();
  const call = caller(port);

  const first = await call('/');
  const second = await call('/');
  await closeServer(front.server, 100);

  const seconds = Number(/timeout=(\d+)/.exec(String(first.headers['keep-alive']))?.[1]);
  expect(seconds).toBeGreaterThanOrEqual(65);
  expect(second.reused).toBe(true);
});

test('a caller is answered if it connects while a stopping process is briefly blocked', async () => {
  const { front, port } = await setFront();
  const call = caller(port);

  front.drain();
  const closing = closeServer(front.server, 1_000);
  await setImmediate();
  const asked = call('/');
  // The connection is made in the next tick, and then waits to be accepted.
  await nextTick();
  for (const until = performance.now() + 100; performance.now() < until; );

  expect((await asked).status).toBe(200);
  await closing;
});

test('callers who keep sending requests and never read an answer lose their connections', async () => {
  const { front, port } = await setFront();
  const open = () => promisify(front.server.getConnections.bind(front.server))();
  let taken = 0;
  front.server.on('connection', () => {
    taken += 1;
  });
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined).pause();
    const requests = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000);
    for (let n = 0; n < 60; n += 1) socket.write(requests);
    return socket;
  });

  await expect.poll(() => taken, { timeout: 60_000 }).toBe(sockets.length);
  await expect.poll(open, { timeout: 100_000, interval: 500 }).toBe(0);
  for (const socket of sockets) socket.destroy();
  await closeServer(front.server, 100);
}, 180_000);

test('a flood of bodies that are answered before they are read leaves nothing behind', async () => {
  const { front, port } = await setFront();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const post = async (rest: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /none HTTP/1.1\r\nHost: bot\r\nContent-Length: 20\r\n\r\n');
    await once(socket, 'data');
    socket.end(rest);
    await once(socket, 'close');
  };
  const before = timers();

  await Promise.all(Array.from({ length: 50 }, () => post('x'.repeat(20))));
  await Promise.all(Array.from({ length: 50 }, () => post('x')));
  await closeServer(front.server, 100);

  expect(timers()).toBeLessThan(before + 10);
});
