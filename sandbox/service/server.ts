import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultKind, Faults } from './faults.ts';
import type { PracticeLog } from './log.ts';
import { type Received, readRequest } from './received.ts';
import { JSON_TYPE, type Reply } from './reply.ts';
import type { Route } from './routes.ts';
import type { Grant } from './tokens.ts';

type Deps = {
  caller: (received: Received) => Grant | undefined;
  route: (received: Received, caller: Grant | undefined) => Route | Reply;
  control: (received: Received) => Reply | undefined;
  faults: Faults;
  log: PracticeLog;
  now: () => Date;
};

/** Form fields that tests can see in the log; the others are secret or irrelevant. */
const SHOWN_FIELDS = new Set([
  'grant_type',
  'client_id',
  'redirect_uri',
  'ParentResourceType',
  'Uri',
  'ProjectId',
  'ItemType',
  'ProjectItemId',
  'SessionId',
  'SessionDocumentId',
]);

/**
 * Starts a server on loopback.
 * @param port 0 for any free port
 */
export async function startServer(
  deps: Deps,
  port: number,
): Promise<{ port: number; close: () => Promise<void> }> {
  const stop = new AbortController();
  // Every delayed request adds a listener; Node warns from the eleventh.
  setMaxListeners(0, stop.signal);
  const server = createServer((request, response) => {
    answer(deps, { request, response, signal: stop.signal }).catch((error: unknown) => {
      if (stop.signal.aborted || request.destroyed) response.destroy();
      else write(response, failure(error, deps));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        stop.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Exchange = { request: IncomingMessage; response: ServerResponse; signal: AbortSignal };

async function answer(deps: Deps, { request, response, signal }: Exchange): Promise<void> {
  const received = await readRequest(request);
  const controlled = deps.control(received);
  if (controlled) return write(response, controlled);
  const caller = deps.caller(received);
  const found = deps.route(received, caller);
  if ('status' in found) return write(response, found);
  const met = deps.faults.take(found.endpoint, caller?.user, received.path);
  const reply = await withFaults(met, found, signal);
  deps.log.add({
    type: 'request',
    at: deps.now(),
    endpoint: found.endpoint,
    method: received.method,
    path: received.path,
    user: caller?.user ?? null,
    form: Object.fromEntries([...received.form].filter(([name]) => SHOWN_FIELDS.has(name))),
    status: reply === 'cut' ? null : reply.status,
    faults: met.map(({ kind }) => kind),
  });
  if (reply === 'cut') response.destroy();
  else write(response, reply);
}

async function withFaults(met: readonly Fault[], route: Route, signal: AbortSignal): Promise<Reply | 'cut'> {
  const before = met.filter(({ committed }) => committed !== true);
  const instead = await suffer(before, { status: 200, headers: {}, body: '' }, signal);
  if (instead) return instead;
  const reply = await route.answer();
  const after = met.filter(({ committed }) => committed === true);
  return (await suffer(after, reply, signal)) ?? reply;
}

/** Waits for the delays, then returns the reply as changed by the other fault, if any. */
async function suffer(
  faults: readonly Fault[],
  reply: Reply,
  signal: AbortSignal,
): Promise<Reply | 'cut' | undefined> {
  for (const fault of faults) {
    if (fault.kind === 'delay') await sleep(fault.ms, undefined, { signal });
  }
  const other = faults.find(({ kind }) => kind !== 'delay');
  return other && spoiled(other, reply);
}

function spoiled(fault: FaultKind, reply: Reply): Reply | 'cut' | undefined {
  switch (fault.kind) {
    case 'delay':
      return;
    case 'reset':
      return 'cut';
    case 'invalid JSON': {
      const half = reply.body.slice(0, Math.floor(reply.body.length / 2));
      return { status: reply.status, headers: { 'content-type': JSON_TYPE }, body: half || '{"half": ' };
    }
    case 'answer': {
      const { status, body = '', contentType = 'text/plain', retryAfter } = fault;
      const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return { status, headers: { 'content-type': contentType, ...retry }, body };
    }
  }
}

function failure(error: unknown, { log, now }: Deps): Reply {
  const headers = { 'content-type': 'text/plain' };
  if (error instanceof RangeError) return { status: 413, headers, body: 'Too large.' };
  log.add({ type: 'internal error', at: now(), error });
  return { status: 500, headers, body: `The practice service failed: ${String(error)}` };
}

function write(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers);
  response.end(body);
}
